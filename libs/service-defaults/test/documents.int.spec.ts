import { SampleApp } from './fixture/sample-app';

const FILES: [path: string, type: RegExp][] = [
  ['/docs', /^text\/html/],
  ['/docs/', /^text\/html/],
  ['/docs/openapi.json', /^application\/json/],
  ['/docs/swagger-ui-init.js', /javascript/],
  ['/docs/swagger-ui-bundle.js', /javascript/],
  ['/docs/swagger-ui-standalone-preset.js', /javascript/],
  ['/docs/swagger-ui.css', /^text\/css/],
  ['/docs/favicon-16x16.png', /^image\/png/],
  ['/docs/favicon-32x32.png', /^image\/png/],
];

describe('the documents of an app', () => {
  let app: SampleApp;
  beforeEach(async () => {
    app = await SampleApp.start();
  });
  afterEach(() => app.running.close());

  it.each(FILES)('serves %s with a strong tag, and 304 to a client that has it', async (path, type) => {
    const first = await app.call(path);
    expect([first.status, first.headers['content-type']]).toEqual([200, expect.stringMatching(type)]);
    expect(first.headers['etag']).toMatch(/^"[^"]+"$/);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    const again = await app.call(path, { headers: { 'if-none-match': String(first.headers['etag']) } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', first.headers['etag']]);
    expect(again.headers['cache-control']).toBe('public, max-age=300');
    expect((await app.call(path, { method: 'HEAD' })).status).toBe(200);
  });

  it('does not let another site frame the page', async () => {
    expect((await app.call('/docs')).headers['content-security-policy']).toBe("frame-ancestors 'none'");
  });

  it('serves nothing else below the page', async () => {
    for (const path of [
      '/docs/LICENSE',
      '/docs/index.html',
      '/docs/swagger-ui.js',
      '/docs/../package.json',
      '/docs-yaml',
    ])
      expect((await app.call(path)).status).toBe(404);
  });

  it('sends at most 16 MiB of documents per second: further requests get 429 with Retry-After, other routes answer', async () => {
    const bundle = '/docs/swagger-ui-bundle.js';
    const answers = await Promise.all(Array.from({ length: 60 }, () => app.call(bundle)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(refused[0]).toMatchObject({ headers: { 'retry-after': '1', 'cache-control': 'no-store' } });
    expect(refused[0]?.json()).toMatchObject({ code: 'rate_limited' });
    const tag = String(answers.find(({ status }) => status === 200)?.headers['etag']);
    expect((await app.call(bundle, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await app.call('/things/1')).status).toBe(200);
  });
});
