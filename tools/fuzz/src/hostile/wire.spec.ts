import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { exchange, parseAnswers } from './wire';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
const parsed = (text: string, options = {}) => parseAnswers(Buffer.from(text), options);

describe('parseAnswers', () => {
  it('reads several answers: with a length, with chunks, and without a body', () => {
    const chunked = 'HTTP/1.1 400 Bad Request\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n';
    const { answers, rest } = parsed(`${OK}${chunked}HTTP/1.1 204 No Content\r\n\r\n`, { isClosed: true });
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, '{}'],
      [400, '{}'],
      [204, ''],
    ]);
    expect(rest).toBe('');
  });

  it('skips interim answers', () => {
    expect(parsed(`HTTP/1.1 100 Continue\r\n\r\n${OK}`).answers).toHaveLength(1);
  });

  it('returns no answer that is incomplete', () => {
    expect(parsed(OK.slice(0, -1)).answers).toEqual([]);
  });

  it('returns bytes that are not HTTP once the connection is closed', () => {
    expect(parsed(`${OK}oops`, { isClosed: true })).toMatchObject({ answers: [{ status: 200 }], rest: 'oops' });
  });
});

describe('exchange', () => {
  let server: Server;
  let handle: (socket: Socket) => void;
  beforeAll(async () => {
    server = createServer((socket) => handle(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  const send = (request: object, limitMs = 5_000) =>
    exchange(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      { parts: [Buffer.from('a'), Buffer.from('b')], ...request },
      { limitMs },
    );

  it('sends all parts of a request, and ends when it is answered', async () => {
    handle = (socket) => {
      let text = '';
      socket.on('data', (data) => (text += String(data)) === 'ab' && socket.write(OK));
    };
    expect(await send({ pauseMs: 20 })).toMatchObject({ end: 'answered', answers: [{ status: 200, text: '{}' }] });
  });

  it('distinguishes a connection that the server closes from one that hangs', async () => {
    handle = (socket) => socket.end();
    expect((await send({})).end).toBe('closed');
    handle = () => undefined;
    expect((await send({}, 50)).end).toBe('hung');
  });

  it('closes the connection of an incomplete request after a short time', async () => {
    handle = () => undefined;
    expect((await send({ answers: 0 })).end).toBe('left');
  });
});
