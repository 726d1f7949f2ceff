import type { Server, Socket } from 'node:net';
import { request } from 'undici';
import { connectToFirst, join, listen } from './connections';

/** A replica behind a service. */
export interface Target {
  readonly url: string;
}

const PROBE_MS = 200;
const PROBE_TIMEOUT_MS = 1_000;
const READY_TIMEOUT_MS = 180_000;

/**
 * One address in front of the replicas of an app, like a Service of Kubernetes. Each connection goes to the next
 * replica whose `/readyz` answers 200, or to another replica if the first one refuses the connection.
 */
export class Service {
  private readonly ready = new Map<Target, boolean>();
  private readonly clients = new Set<Socket>();
  private server!: Server;
  private port = 0;
  private turn = 0;
  private probing?: NodeJS.Timeout;

  /** Opens the address. @param port the port at which callers reach the app; 0 takes a free one */
  static async open(port: number): Promise<Service> {
    const service = new Service();
    ({ server: service.server, port: service.port } = await listen(port, (client) => void service.accept(client)));
    service.probeSoon();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get targets(): readonly Target[] {
    return [...this.ready.keys()];
  }

  /**
   * Adds a replica. Resolves when the replica is ready and gets connections.
   * @throws Error when the replica is not ready within three minutes
   */
  async add(target: Target): Promise<void> {
    this.ready.set(target, false);
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!this.ready.get(target)) {
      if (Date.now() > deadline) throw new Error(`${target.url} was not ready in ${READY_TIMEOUT_MS} ms`);
      await pause(PROBE_MS);
    }
  }

  /** Removes a replica. Its open connections stay open. */
  remove(target: Target): void {
    this.ready.delete(target);
  }

  close(): void {
    clearTimeout(this.probing);
    this.probing = undefined;
    this.server.close();
    for (const client of this.clients) client.destroy();
  }

  private async accept(client: Socket): Promise<void> {
    this.clients.add(client);
    client.once('close', () => this.clients.delete(client)).on('error', () => undefined);
    try {
      join(client, await connectToFirst(this.portsInTurn()));
    } catch {
      client.destroy();
    }
  }

  /** Returns the ports in the order of attempts: the next ready replica, the other ready replicas, then all others. */
  private portsInTurn(): number[] {
    const targets = [...this.ready].filter(([, isReady]) => isReady).map(([target]) => target);
    const first = this.turn++ % Math.max(1, targets.length);
    const inTurn = [...targets.slice(first), ...targets.slice(0, first)];
    const others = this.targets.filter((target) => !inTurn.includes(target));
    return [...inTurn, ...others].map(({ url }) => Number(new URL(url).port));
  }

  private probeSoon(): void {
    this.probing = setTimeout(() => {
      void Promise.all(this.targets.map((target) => this.probe(target))).then(() => this.probing && this.probeSoon());
    }, PROBE_MS);
  }

  private async probe(target: Target): Promise<void> {
    const isReady = await answersReady(target.url);
    if (this.ready.has(target)) this.ready.set(target, isReady);
  }
}

async function answersReady(url: string): Promise<boolean> {
  const timeouts = { headersTimeout: PROBE_TIMEOUT_MS, bodyTimeout: PROBE_TIMEOUT_MS };
  try {
    const { statusCode, body } = await request(`${url}/readyz`, timeouts);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
