import { eventually } from '@tandem/testing';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { EdgeUnderTest } from './edge-under-test';

describe('incomplete bodies', () => {
  const edge = new EdgeUnderTest({ bufferedBytes: 4_000 });
  const open: Socket[] = [];
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));

  /** Sends the headers of a webhook, and the start of its body. */
  const begin = async (headers: string, body: string): Promise<Socket> => {
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1').on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    socket.write(`POST /idp/payments/webhook HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`);
    return socket;
  };
  const pay = () => fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{"paid":true}' });

  it.each([
    ['a length', 'content-length: 100', '{'],
    ['chunks', 'transfer-encoding: chunked', '1\r\n{\r\n'],
  ])(
    'with %s use no connection to an app, so a webhook is answered while 300 of them are open',
    async (_, headers, body) => {
      await Promise.all(Array.from({ length: 300 }, () => begin(headers, body)));
      for (let count = 0; count < 20; count++) expect((await pay()).status).toBe(200);
      expect(edge.ingest.seen.every(({ headers: seen }) => seen['content-length'] !== '100')).toBe(true);
      expect(await edge.ingest.connections()).toBeLessThan(10);
    },
  );

  it('share one limit, and a body beyond the limit gets 503 with Retry-After until other bodies end', async () => {
    await eventually(async () => {
      // Three such bodies fill the limit. One of them may be refused while the edge still holds bodies of the previous test.
      await begin('content-length: 60000', 'x'.repeat(1_330));
      expect((await pay()).status).toBe(503);
    });
    const refused = await pay();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(`${edge.url}/admin/partners`)).status).toBe(200);
    open.splice(0).forEach((socket) => socket.destroy());
    await eventually(async () => expect((await pay()).status).toBe(200));
  });
});

describe('bodies of pipelined requests that wait behind an unanswered request', () => {
  const edge = new EdgeUnderTest({ bufferedBytes: 4_000 });
  const pay = () => fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{"paid":true}' });

  it('are released when the client disconnects', async () => {
    edge.gateway.answer.handle = () => undefined;
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const webhook = `POST /idp/payments/webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 1330\r\n\r\n${'x'.repeat(1_330)}`;
    socket.write(`GET /admin/partners HTTP/1.1\r\nhost: x\r\n\r\n${webhook.repeat(3)}`);
    await eventually(async () => expect((await pay()).status).toBe(503));
    socket.resetAndDestroy();
    await eventually(async () => expect((await pay()).status).toBe(200));
  });
});
