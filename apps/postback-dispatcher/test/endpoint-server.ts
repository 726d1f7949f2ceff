import { createServer, IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

export interface ReceivedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Determines how the server answers a request. */
export type Behaviour = (request: ReceivedRequest, response: ServerResponse, socket: Socket) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** A partner's endpoint: a real HTTP server, which records its requests and answers them as a test has set. */
export class EndpointServer {
  readonly received: ReceivedRequest[] = [];
  inFlight = 0;
  mostInFlight = 0;
  private behaviours: Behaviour[] = [];
  private readonly open = new Set<ServerResponse>();
  private otherwise: Behaviour = answer(200);

  private constructor(private readonly server: Server) {}

  static async start(port = 0): Promise<EndpointServer> {
    const server = createServer();
    const endpoint = new EndpointServer(server);
    server.on('request', (request, response) => void endpoint.handle(request, response));
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return endpoint;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/postback`;
  }

  /** Sets how the next requests are answered, one argument for each request. Later requests are answered as `always` has set. */
  next(...behaviours: Behaviour[]): void {
    this.behaviours.push(...behaviours);
  }

  always(behaviour: Behaviour): void {
    this.otherwise = behaviour;
    this.behaviours = [];
  }

  /** Ends the answers to all requests that are still unanswered. */
  answerAll(): void {
    for (const response of this.open) response.end();
  }

  /** Returns the received requests about one sale. */
  about(oid: string): ReceivedRequest[] {
    return this.received.filter(({ body }) => (JSON.parse(body) as { oid: string }).oid === oid);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    this.open.add(response);
    response.on('close', () => {
      this.inFlight--;
      this.open.delete(response);
    });
    response.on('error', () => undefined);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url: path = '', headers } = request;
    const received = { at: Date.now(), method, path, headers, body };
    this.received.push(received);
    (this.behaviours.shift() ?? this.otherwise)(received, response, request.socket);
  }
}
