import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fastify from 'fastify';
import { skipStreamsOfHead } from './head-streams';

describe('skipStreamsOfHead', () => {
  const CHUNKS = 1_000;
  let read = 0;
  const app = fastify();
  skipStreamsOfHead(app);
  app.get('/export', (_request, reply) => {
    read = 0;
    async function* chunks() {
      for (; read < CHUNKS; read += 1) {
        await setImmediate();
        yield 'a line\n';
      }
    }
    return reply.type('text/csv').send(Readable.from(chunks(), { objectMode: false }));
  });
  app.get('/text', () => 'a text');

  it('answers HEAD with the headers of GET, without reading the stream', async () => {
    const answer = await app.inject({ method: 'HEAD', url: '/export' });
    expect(answer.headers['content-length']).toBeUndefined();
    expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([200, 'text/csv', '']);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(read).toBeLessThan(CHUNKS);
    const before = read;
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    expect(read).toBe(before);
  });

  it('leaves answers to GET, and answers that are not streams, unchanged', async () => {
    expect((await app.inject({ method: 'GET', url: '/export' })).body).toHaveLength(7 * CHUNKS);
    expect((await app.inject({ method: 'HEAD', url: '/text' })).headers['content-length']).toBe('6');
  });
});
