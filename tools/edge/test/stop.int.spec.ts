import { eventually } from '@tandem/testing';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PUBLIC_APPS } from '../src/config';
import { type RunningEdge, startEdge } from '../src/server';

describe('an edge that stops', () => {
  let app: Server;
  /** Requests that the app has received but not answered. */
  let open: ServerResponse[];
  let edge: RunningEdge;
  let upstreams: Record<string, string>;

  beforeEach(async () => {
    open = [];
    app = createServer((_request, response) => void open.push(response)).listen(0, '127.0.0.1');
    await once(app, 'listening');
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    upstreams = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, url]));
    edge = await startEdge({ host: '127.0.0.1', port: 0, upstreams });
  });
  afterEach(() => app.close());

  /** Opens a connection and collects the data received on it. */
  const dial = async ({ url } = edge): Promise<{ socket: Socket; answer: () => string }> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'connect');
    return { socket, answer: () => text };
  };
  const isRefused = () => eventually(() => expect(fetch(edge.url)).rejects.toThrow());

  it('answers requests in flight, and closes their connections', async () => {
    const { socket, answer } = await dial();
    socket.write('GET /admin/partners HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(open).toHaveLength(1));
    const closing = edge.close();
    await isRefused();
    open[0]?.end('{}');
    await Promise.all([once(socket, 'close'), closing]);
    expect(answer()).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer()).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('serves a request whose headers began to arrive before the stop', async () => {
    const { socket, answer } = await dial();
    socket.write('GET /admin/partners HTTP/1.1\r\n');
    // The test cannot see when the edge has read the request line. When the app receives a later request, the edge has also read that line.
    const other = fetch(`${edge.url}/admin/partners`);
    await eventually(() => expect(open).toHaveLength(1));
    const closing = edge.close();
    await isRefused();
    open[0]?.end('{}');
    socket.write('host: x\r\n\r\n');
    await eventually(() => expect(open).toHaveLength(2));
    open[1]?.end('{}');
    await Promise.all([once(socket, 'close'), other, closing]);
    expect(answer()).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it('does not wait for a connection without a request', async () => {
    const { socket } = await dial();
    await Promise.all([once(socket, 'close'), edge.close()]);
  });

  it('stops at its time limit despite an incomplete request and an app that never answers', async () => {
    const limited = await startEdge({ host: '127.0.0.1', port: 0, upstreams }, { stopMs: 200 });
    const [halfAsked, unanswered] = await Promise.all([dial(limited), dial(limited)]);
    halfAsked.socket.write('GET /admin/partners HTTP/1.1\r\n');
    unanswered.socket.write('GET /admin/partners HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(open).toHaveLength(1));
    const closing = limited.close();
    try {
      await eventually(() => expect([halfAsked, unanswered].every(({ socket }) => socket.destroyed)).toBe(true));
    } finally {
      for (const { socket } of [halfAsked, unanswered]) socket.destroy();
      open[0]?.end();
      await Promise.all([closing, edge.close()]);
    }
  });
});
