import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToFirst, listen } from './connections';

/** A client's connection, together with the connection to the server to which the client's data is passed on. */
interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Whether the connection to the server has ended and the client was not notified. */
  abandoned: boolean;
}

/**
 * The network between clients and a server: a TCP proxy whose connections can be disturbed. When the server moves to
 * another port, the address of the link stays the same, like a DNS name.
 */
export class NetworkLink {
  private readonly sockets = new Set<Socket>();
  /**
   * The connections whose two sides are joined. Only they are paused and resumed, because resuming a socket before it
   * is joined would lose its data.
   */
  private readonly pairs = new Set<Pair>();
  private server!: Server;
  private ownPort = 0;
  private isCut = false;
  private isRefusing = false;
  private delayMs = 0;
  private onRestored: () => void = () => undefined;
  private whole: Promise<void> = Promise.resolve();

  private constructor(private targetPort: number) {}

  /**
   * Opens a link to a server.
   * @param targetPort the server's port on the loopback interface
   * @param port the link's own port; 0 takes a free one
   */
  static async open(targetPort: number, port = 0): Promise<NetworkLink> {
    const link = new NetworkLink(targetPort);
    ({ server: link.server, port: link.ownPort } = await listen(port, (client) => void link.accept(client)));
    return link;
  }

  get port(): number {
    return this.ownPort;
  }

  /** Returns the server's URL with the address of the link. */
  urlFor(serverUrl: string): string {
    return Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(this.ownPort) }).toString();
  }

  /** Sends new connections to another port. Open connections stay with their server. */
  retarget(port: number): void {
    this.targetPort = port;
  }

  /** Holds back all data and new connections, as if every packet were lost. Neither side is notified. */
  cut(): void {
    if (!this.isCut) this.whole = new Promise((resolve) => (this.onRestored = resolve));
    this.isCut = true;
    for (const { client, upstream } of this.pairs) for (const socket of [client, upstream]) socket.pause();
  }

  /** Delays new connections, and all data in both directions. */
  slow(ms: number): void {
    this.delayMs = ms;
  }

  /** Resets all open connections (RST). New connections work. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Resets all open connections, and every new connection. */
  refuse(): void {
    this.isRefusing = true;
    this.reset();
  }

  /**
   * Ends the connections to the server without notifying the clients, as when a machine loses power. New connections
   * work.
   */
  abandon(): void {
    for (const pair of this.pairs) {
      pair.abandoned = true;
      pair.upstream.resetAndDestroy();
      pair.client.resume();
    }
  }

  /** Ends a cut, a delay and refusals, and passes on data that was held back. Abandoned connections stay abandoned. */
  restore(): void {
    this.isCut = false;
    this.isRefusing = false;
    this.delayMs = 0;
    for (const { client, upstream } of this.pairs) for (const socket of [client, upstream]) socket.resume();
    this.onRestored();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    this.onRestored();
  }

  private async accept(client: Socket): Promise<void> {
    this.watch(client);
    if (this.isRefusing) return void client.resetAndDestroy();
    await this.whole;
    if (this.delayMs > 0) await sleep(this.delayMs);
    try {
      const upstream = await connectToFirst([this.targetPort]);
      // If the client has already closed its connection, nothing else would end the connection to the server.
      if (client.destroyed) return void upstream.destroy();
      this.watch(upstream);
      const pair = { client, upstream, abandoned: false };
      this.pairs.add(pair);
      for (const socket of [client, upstream]) socket.once('close', () => this.pairs.delete(pair));
      this.passOn(pair, client, upstream);
      this.passOn(pair, upstream, client);
      if (this.isCut) this.cut();
    } catch {
      client.destroy();
    }
  }

  /** Passes on the data of one direction, in order, and ends this direction after the last data. */
  private passOn(pair: Pair, from: Socket, to: Socket): void {
    let passed: Promise<unknown> = Promise.resolve();
    const enqueue = (step: () => void): void => {
      const dueAt = Date.now() + this.delayMs;
      passed = passed.then(() => (dueAt > Date.now() ? sleep(dueAt - Date.now()) : undefined)).then(step);
    };
    from.on('data', (chunk: Buffer) => {
      if (pair.abandoned) return;
      enqueue(() => {
        if (to.destroyed || to.write(chunk) || from.isPaused()) return;
        from.pause();
        to.once('drain', () => this.isCut || from.resume());
      });
    });
    from.once('end', () => enqueue(() => void (pair.abandoned ? from.destroy() : to.end())));
    from.once('error', () => pair.abandoned || to.destroy());
    from.once('close', () => pair.abandoned || enqueue(() => to.destroySoon()));
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => undefined);
  }
}
