import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToFirst, listen } from './connections';

/** A connection of a client, and the one to the server that it is joined with. */
interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Whether the server's side is gone and the client was not notified. */
  abandoned: boolean;
}

/**
 * The network between clients and a server: a TCP proxy that can be disturbed. Its address stays the same when the server moves, like
 * a name in DNS.
 */
export class NetworkLink {
  private readonly sockets = new Set<Socket>();
  /** Only joined sockets are paused and resumed. Resuming any other socket would lose its data. */
  private readonly pairs = new Set<Pair>();
  private server!: Server;
  private ownPort = 0;
  private isCut = false;
  private isRefusing = false;
  private delayMs = 0;
  private onRestored: () => void = () => undefined;
  private whole: Promise<void> = Promise.resolve();

  private constructor(private targetPort: number) {}

  /** @param targetPort the server's port on the loopback interface @param port the link's own port; 0 takes a free one */
  static async open(targetPort: number, port = 0): Promise<NetworkLink> {
    const link = new NetworkLink(targetPort);
    ({ server: link.server, port: link.ownPort } = await listen(port, (client) => void link.accept(client)));
    return link;
  }

  get port(): number {
    return this.ownPort;
  }

  /** Returns the URL of the server with the address of the link. */
  urlFor(serverUrl: string): string {
    return Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(this.ownPort) }).toString();
  }

  /** Sends new connections to another port. Open connections stay with the server that they have. */
  retarget(port: number): void {
    this.targetPort = port;
  }

  /** Lets bytes and new connections wait, as if every packet were lost. Neither side is notified. */
  cut(): void {
    if (!this.isCut) this.whole = new Promise((resolve) => (this.onRestored = resolve));
    this.isCut = true;
    for (const { client, upstream } of this.pairs) for (const socket of [client, upstream]) socket.pause();
  }

  /** Delays all bytes, in both directions. */
  slow(ms: number): void {
    this.delayMs = ms;
  }

  /** Resets all connections (RST). New connections work. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Resets all connections, and each new one. */
  refuse(): void {
    this.isRefusing = true;
    this.reset();
  }

  /** Ends the server's side of all connections without notifying the clients, like a machine that loses power. New connections work. */
  abandon(): void {
    for (const pair of this.pairs) {
      pair.abandoned = true;
      pair.upstream.resetAndDestroy();
      pair.client.resume();
    }
  }

  /** Ends the disturbances. What waits is passed on. */
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
      // If the client has closed its connection by now, nothing else would end this one.
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

  /** Passes on the data of one direction in its order, and the end of its data. */
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
