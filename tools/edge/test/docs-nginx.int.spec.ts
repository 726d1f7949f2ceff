import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { siteHeaders } from '../src/console-headers';
import { addDocs } from '../src/docs-site';
import { docsNginxConfig } from '../src/nginx/docs-config';
import { DOCS_NGINX_FILE, GENERATED_NGINX_FILES } from '../src/nginx/files';
import { describeNginx, problemsOf, type RunningNginx, startNginx } from './nginx-under-test';

const ROOT = path.resolve(__dirname, '../../..');
const FILES = {
  'index.html': '<title>Docs</title>',
  '404.html': '<title>Not here</title>',
  'operations.html': '<title>Operations</title>',
  'operations/app-down.html': '<title>App down</title>',
  'reference/index.html': '<title>Reference</title>',
  'favicon.svg': '<svg/>',
  'examples/shop/shop.py.txt': 'print(1)',
  'assets/app-1.js': 'run()',
};

describeNginx('nginx in the image of the docs', () => {
  const files = mkdtempSync(path.join(tmpdir(), 'tandem-docs-'));
  const site = path.join(files, 'docs');
  let nginx: RunningNginx;
  let edge: FastifyInstance;
  beforeAll(async () => {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(site, name)), { recursive: true });
      writeFileSync(path.join(site, name), text);
    }
    chmodSync(files, 0o755);
    nginx = await startNginx((port, folder) => docsNginxConfig({ port, files, folder }));
    edge = fastify();
    await addDocs(edge, site);
  });
  afterAll(async () => {
    await Promise.all([nginx.stop(), edge.close()]);
    rmSync(files, { recursive: true });
  });

  it('accepts the configuration of the image', () => {
    expect(problemsOf((GENERATED_NGINX_FILES[DOCS_NGINX_FILE] as () => string)())).toBe('');
  });

  it.each([
    ['/docs/', 200, 'Docs'],
    ['/docs/operations', 200, 'Operations'],
    ['/docs/operations?x=1', 200, 'Operations'],
    ['/docs/operations/app-down', 200, 'App down'],
    ['/docs/operations/', 404, 'Not here'],
    ['/docs/reference', 200, 'Reference'],
    ['/docs/reference/', 200, 'Reference'],
    ['/docs/favicon.svg', 200, 'svg'],
    ['/docs/examples/shop/shop.py.txt', 200, 'print'],
    ['/docs/assets/app-1.js', 200, 'run'],
    ['/docs/assets/gone.js', 404, 'Not here'],
    ['/docs/assets', 404, 'Not here'],
    ['/docs/nothing/here', 404, 'Not here'],
    ['/docs', 302, ''],
    ['/manager-docs', 302, ''],
    ['/guide/', 302, ''],
  ])('answers %s with %i, as the edge of npm start does', async (url, status, text) => {
    const [answer, wanted] = await Promise.all([
      fetch(nginx.url + url, { headers: { 'accept-encoding': 'identity' }, redirect: 'manual' }),
      edge.inject({ url }),
    ]);
    expect([answer.status, wanted.statusCode]).toEqual([status, status]);
    expect(answer.headers.get('location')).toBe(wanted.headers.location ?? null);
    if (status === 302) return;
    expect([await answer.text(), wanted.body]).toEqual([wanted.body, expect.stringContaining(text)]);
    for (const name of [...Object.keys(siteHeaders()), 'cache-control', 'content-type'])
      expect([name, answer.headers.get(name)]).toEqual([name, wanted.headers[name]]);
  });
});

describe('apps/docs/image/Dockerfile', () => {
  it('does not run as root, and serves the folder of the configuration', () => {
    const text = readFileSync(path.join(ROOT, 'apps/docs/image/Dockerfile'), 'utf8');
    expect(text).toMatch(/^USER 1000:1000$/m);
    expect(text).toContain('/usr/share/nginx/html/docs');
  });
});
