import type { Server, Socket } from 'node:net';
import { connectToFirst, join, listen } from './connections';

/** The network between a process and a server, which can be cut. Bytes then wait, as if every packet were lost, and neither side is notified. */
export class StoreLink {
  private readonly sockets = new Set<Socket>();
  /** The sockets to pause and resume: those that already pass on what they read. Resuming any other socket would lose its data. */
  private readonly joined = new Set<Socket>();
  private server!: Server;
  private port = 0;
  private isCut = false;
  private mended: () => void = () => undefined;
  private whole: Promise<void> = Promise.resolve();

  private constructor(private readonly target: URL) {}

  /** @param url the server's URL, of which only host and port are replaced */
  static async open(url: string): Promise<StoreLink> {
    const link = new StoreLink(new URL(url));
    ({ server: link.server, port: link.port } = await listen(0, (client) => void link.accept(client)));
    return link;
  }

  /** The server's URL through the link. */
  get url(): string {
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port: String(this.port) }).toString();
  }

  cut(): void {
    if (!this.isCut) this.whole = new Promise((resolve) => (this.mended = resolve));
    this.isCut = true;
    for (const socket of this.joined) socket.pause();
  }

  mend(): void {
    this.isCut = false;
    for (const socket of this.joined) socket.resume();
    this.mended();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    this.mended();
  }

  private async accept(client: Socket): Promise<void> {
    this.watch(client);
    await this.whole;
    try {
      const upstream = await connectToFirst([Number(this.target.port)]);
      this.watch(upstream);
      join(client, upstream);
      for (const socket of [client, upstream]) this.joined.add(socket);
      if (this.isCut) this.cut();
    } catch {
      client.destroy();
    }
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket
      .once('close', () => {
        this.sockets.delete(socket);
        this.joined.delete(socket);
      })
      .on('error', () => undefined);
  }
}
