import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from '../../../sdks/typescript/pace';
import { expressHandler, MemoryStore, type PostbackHandlerOptions } from '../src';
import { bodyOf } from './signed';

/** A real HTTP server that can be stopped and started again on its port. */
export class TestServer {
  private server: Server | undefined;
  port = 0;

  constructor(private readonly handle: RequestListener) {}

  async start(): Promise<this> {
    this.server = createServer(this.handle);
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Breaks every connection, as when the process is killed. */
  async kill(): Promise<void> {
    if (this.server === undefined) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    this.server = undefined;
  }
}

/** A platform that has only `GET /postback/listen`. A cursor is the number of postbacks that were read. */
export class Platform extends TestServer {
  readonly queries: Record<string, string>[] = [];
  /** The error answers that the next calls get instead of pages. */
  readonly refusals: { status: number; code: string; headers?: Record<string, string> }[] = [];
  /** How many of the next calls get a broken connection instead of an answer. */
  breaks = 0;
  /** The time at which all postbacks were created; undefined means now. */
  createdAt: string | undefined;
  private readonly oids: string[] = [];
  private readonly ids = new Map<string, string>();

  constructor(private readonly pageSize = 100) {
    super((request, response) => {
      const query = Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams);
      this.queries.push(query);
      if (this.breaks > 0) {
        this.breaks--;
        request.socket.destroy();
        return;
      }
      const refusal = this.refusals.shift();
      const status = refusal?.status ?? 200;
      const body = refusal ? { ...refusal, detail: refusal.code } : this.page(query);
      response.writeHead(status, { 'content-type': 'application/json', ...refusal?.headers }).end(JSON.stringify(body));
    });
  }

  sell(...oids: string[]): void {
    for (const oid of oids) this.ids.set(oid, randomUUID());
    this.oids.push(...oids);
  }

  private page({ cursor, since }: Record<string, string>): object {
    const from = Number(cursor ?? (since === undefined ? this.oids.length : 0));
    const to = Math.min(this.oids.length, from + this.pageSize);
    const items = this.oids.slice(from, to).map((oid) => ({
      id: this.ids.get(oid),
      kind: 'sale',
      oid,
      createdAt: this.createdAt ?? new Date().toISOString(),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tandem-Postback/1.0',
        'webhook-id': this.ids.get(oid),
        'x-environment': 'test',
      },
      body: bodyOf(oid),
    }));
    return { items, nextCursor: String(to), hasMore: to < this.oids.length };
  }
}

export interface ReceivedPostback {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A shop on this machine. */
export class LocalShop extends TestServer {
  readonly received: ReceivedPostback[] = [];
  /** The statuses of the next answers; 0 means no answer. All further answers are 200. */
  readonly statuses: number[] = [];
  /** The text of all answers. */
  text = 'ok';
  /** If set, a handler of the SDK with these settings verifies and answers the postbacks. */
  verifies: Pick<PostbackHandlerOptions, 'secrets' | 'authorization'> | undefined;

  constructor() {
    super(async (request, response) => {
      if (this.verifies) {
        const handler = { ...this.verifies, store: new MemoryStore(), onSale: () => undefined };
        return expressHandler(handler)(request, response);
      }
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      this.received.push({ path: request.url ?? '', headers: request.headers, body });
      const status = this.statuses.shift() ?? 200;
      if (status > 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(this.text);
    });
  }

  get oids(): string[] {
    return this.received.map(({ body }) => (JSON.parse(body) as { oid: string }).oid);
  }
}

/** The real clock, with waits that are a hundred times shorter. */
export const HASTE: Pace = {
  now: () => Date.now(),
  random: () => 0,
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds / 100, undefined, { signal });
  },
};

/** Repeats a check until it passes. @throws the error of the check after `timeoutMs` */
export async function until(check: () => void, timeoutMs = 20_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(10)) {
    try {
      check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
