import { once } from 'node:events';
import { connect, Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

/** A keep-alive connection with at most one request in flight. It uses a socket directly, to save CPU time. */
export class Connection {
  private rest: Buffer = Buffer.alloc(0);
  private waiting?: { resolve: (status: number) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the connection was closed in the middle of a request')));
  }

  static async open({ hostname, port }: URL): Promise<Connection> {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /**
   * Sends a request.
   * @returns the status of the answer: 200, or 503 when the request must be sent again
   * @throws for any other status, for an answer without a content-length, and when the connection ends before the
   *   answer
   */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const end = this.rest.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.rest.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return this.fail(new Error(`an answer has no content-length:\n${head}`));
    const total = end + HEAD_END.length + Number(length);
    if (this.rest.length < total) return;
    const body = this.rest.toString('utf8', end + HEAD_END.length, total);
    this.rest = this.rest.subarray(total);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    if (status !== 200 && status !== 503) {
      return this.fail(new Error(`a webhook was answered with ${status}: ${body}`));
    }
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(status);
  }

  private fail(error: Error): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(error);
  }
}
