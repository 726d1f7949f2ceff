import fastify from 'fastify';
import { serveDocuments } from '../src/documents/document-files';

const MEGABYTE = 'x'.repeat(1024 * 1024);

describe('the documents of an app', () => {
  it('are refused with 429 beyond 16 MiB per second, but a client that already has a document gets 304', async () => {
    const app = fastify();
    serveDocuments(app, [{ path: 'docs', make: () => ({ text: MEGABYTE }) }]);
    const call = (headers = {}) => app.inject({ url: '/docs/openapi.json', headers });
    const answers = await Promise.all(Array.from({ length: 60 }, () => call()));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 429]));
    expect(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('1');
    const tag = String(answers.find(({ statusCode }) => statusCode === 200)?.headers['etag']);
    expect((await call({ 'if-none-match': tag })).statusCode).toBe(304);
    await app.close();
  });

  it('are generated once, on the first request', async () => {
    const app = fastify();
    const make = jest.fn(() => ({ openapi: '3.1.0' }));
    serveDocuments(app, [{ path: 'docs', make }]);
    expect(make).not.toHaveBeenCalled();
    for (let count = 0; count < 2; count++)
      expect((await app.inject({ url: '/docs/openapi.json' })).json()).toEqual({ openapi: '3.1.0' });
    expect(make).toHaveBeenCalledTimes(1);
    await app.close();
  });
});
