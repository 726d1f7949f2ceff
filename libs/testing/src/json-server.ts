import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** A real HTTP server that sends configured answers and records its requests. */
export class JsonServer {
  readonly requests: SeenRequest[] = [];
  private respond: (response: ServerResponse, request: SeenRequest) => void = (response) =>
    response.writeHead(404).end();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<JsonServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new JsonServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void started.handle(request, response));
    return started;
  }

  answer(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.respond = (response) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  /** Answers each further request with the status and body that `answerTo` returns for it. */
  answerBy(answerTo: (request: SeenRequest) => [status: number, body: unknown]): void {
    this.respond = (response, request) => {
      const [status, body] = answerTo(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  }

  /** Accepts requests and never answers. */
  hang(): void {
    this.respond = () => undefined;
  }

  /** Closes the connection in the middle of an answer. */
  breakOff(): void {
    this.respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"url":');
      setImmediate(() => response.destroy());
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: body === '' ? null : JSON.parse(body) };
    this.requests.push(seen);
    this.respond(response, seen);
  }
}
