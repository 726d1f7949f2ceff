import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PUBLIC_APPS } from '../src/config';
import { type EdgeLimits, startEdge, type RunningEdge } from '../src/server';

interface Seen {
  method?: string;
  url?: string;
  headers: IncomingMessage['headers'];
  sha256: string;
  remotePort?: number;
}

/** Starts a stand-in for an app. It records each request, and answers with its name unless `answer.handle` is set. */
export async function openApp(name: string) {
  const seen: Seen[] = [];
  const answer = { handle: undefined as undefined | ((request: IncomingMessage, response: ServerResponse) => void) };
  const server: Server = createServer((request, response) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      const { method, url, headers, socket } = request;
      seen.push({ method, url, headers, sha256: hash.digest('hex'), remotePort: socket.remotePort });
      if (answer.handle) return answer.handle(request, response);
      response.writeHead(200, { 'content-type': 'application/json', 'x-app': name }).end(JSON.stringify({ app: name }));
    });
  });
  // Keeps idle connections open longer than the edge, as the apps do, so that the edge closes them first.
  server.keepAliveTimeout = 72_000;
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer,
    close,
    reopen: () => listen(port),
    last: () => seen.at(-1) as Seen,
    /** The number of open connections. */
    connections: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
  };
}

export type StandIn = Awaited<ReturnType<typeof openApp>>;

/** An edge in front of two stand-ins, for the tests of a file. `ingest` replaces webhook-ingest, and `gateway` replaces the other apps. */
export class EdgeUnderTest {
  gateway!: StandIn;
  ingest!: StandIn;
  private edge!: RunningEdge;

  /** Registers the start and the stop of the edge with Jest. */
  constructor(limits?: Partial<EdgeLimits>) {
    beforeAll(async () => {
      [this.gateway, this.ingest] = await Promise.all([openApp('partner-gateway'), openApp('webhook-ingest')]);
      const away = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, 'http://127.0.0.1:9']));
      const own = { 'partner-gateway': this.gateway.url, 'webhook-ingest': this.ingest.url };
      const first = this.gateway.url;
      const upstreams = { ...away, ...own, 'idp-api': first, 'idp-support': first, discovery: first };
      this.edge = await startEdge({ host: '127.0.0.1', port: 0, upstreams }, limits);
    });
    afterAll(async () => {
      await this.edge.close();
      await Promise.all([this.gateway.close(), this.ingest.close()]);
    });
    afterEach(() => {
      this.gateway.answer.handle = undefined;
      this.ingest.answer.handle = undefined;
    });
  }

  get url(): string {
    return this.edge.url;
  }

  raw(path: string, method?: string) {
    return sendRaw(this.url, path, method);
  }

  exchange(text: string) {
    return exchange(this.url, text);
  }
}

/** Sends a path exactly as written; fetch would normalize it. */
export function sendRaw(
  url: string,
  path: string,
  method = 'GET',
): Promise<{ status?: number; type?: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    httpRequest({ port, path, method, host: '127.0.0.1' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'], body }));
    })
      .on('error', reject)
      .end();
  });
}

/** Sends `text` as raw bytes, and reads until the edge closes the connection, or until 2 s pass without data. */
export async function exchange(url: string, text: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // A connection that stays open would hang the test.
  socket.setTimeout(2_000, () => socket.destroy());
  socket.write(text);
  let answer = '';
  socket.on('data', (data) => (answer += String(data)));
  await once(socket, 'close');
  const [headers = '', body = ''] = answer.replaceAll('\r\n', '\n').split('\n\n');
  const problem = (body.startsWith('{') ? JSON.parse(body) : {}) as { requestId?: string };
  return { status: Number(headers.split(' ')[1]), headers, problem };
}
