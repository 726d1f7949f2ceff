import { SampleApp } from './fixture/sample-app';

const DOCUMENT = '/docs/openapi.json';

describe('the document of an app', () => {
  let app: SampleApp;
  beforeEach(async () => {
    app = await SampleApp.start();
  });
  afterEach(() => app.running.close());

  it('has a strong ETag, and is answered with 304 when the client sends this ETag', async () => {
    const first = await app.call(DOCUMENT);
    expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(first.headers['etag']).toMatch(/^"[^"]+"$/);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    const again = await app.call(DOCUMENT, { headers: { 'if-none-match': String(first.headers['etag']) } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', first.headers['etag']]);
    expect(again.headers['cache-control']).toBe('public, max-age=300');
    expect((await app.call(DOCUMENT, { method: 'HEAD' })).status).toBe(200);
  });

  it('is all that the app serves below /docs, because the docs site serves the pages', async () => {
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/index.html',
      '/docs/swagger-ui.css',
      '/docs/../package.json',
      '/docs-yaml',
    ])
      expect((await app.call(path)).status).toBe(404);
  });
});
