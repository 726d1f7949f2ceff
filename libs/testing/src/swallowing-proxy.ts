import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between a client and Postgres that can swallow all traffic of the open connections, as a silent failover does. */
export class SwallowingProxy {
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private readonly upstreams = new Set<Socket>();

  private constructor(target: URL) {
    this.server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      this.upstreams.add(upstream);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.open.add(from);
        from.on('error', () => undefined).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  static async start(target: URL): Promise<SwallowingProxy> {
    const proxy = new SwallowingProxy(target);
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): string {
    return String((this.server.address() as AddressInfo).port);
  }

  /** From now on, nothing arrives on the open connections. New connections work. */
  swallow(): void {
    for (const socket of this.open) socket.unpipe().pause();
  }

  /** From now on, requests arrive on the open connections, but no answers. */
  swallowAnswers(): void {
    for (const socket of this.upstreams) socket.unpipe().resume();
  }

  /** Closes the open connections on the server's side only: the server ends their sessions, and no client is notified. */
  failOver(): void {
    this.swallow();
    for (const upstream of this.upstreams) upstream.removeAllListeners('close').destroy();
  }

  /** Breaks all open connections. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
