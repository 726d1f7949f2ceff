import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { addConsole } from '../src/console-site';

const SETTINGS = { issuer: 'https://issuer.example.com/staff', clientId: 'a-console', scope: 'openid support' };

describe('the console at the edge', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'console-'));
  let app: FastifyInstance;
  beforeAll(async () => {
    mkdirSync(path.join(root, 'assets'));
    writeFileSync(path.join(root, 'index.html'), '<title>Console</title>');
    writeFileSync(path.join(root, 'assets/app-1.js'), 'run()');
    writeFileSync(path.join(root, 'assets/app-1.js.gz'), gzipSync('run()'));
    app = fastify();
    await addConsole(app, SETTINGS, root);
  });
  afterAll(async () => {
    await app.close();
    rmSync(root, { recursive: true });
  });
  const get = (url: string) => app.inject({ url });

  it.each(['/console/', '/console/overview', '/console/partners/ptn_1?tab=tokens'])(
    'answers %s with index.html, which browsers revalidate each time',
    async (url) => {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, body, headers['cache-control']]).toEqual([200, '<title>Console</title>', 'no-cache']);
    },
  );

  it('allows no foreign script, no framing and no type sniffing', async () => {
    for (const url of ['/console/', '/console/config.json', '/console/assets/app-1.js', '/console/assets/gone.js']) {
      const { headers } = await get(url);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("connect-src 'self' https://issuer.example.com;");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('lets browsers cache files below /console/assets/ for a year, and answers 404 with no-cache to a missing file', async () => {
    const { statusCode, headers } = await get('/console/assets/app-1.js');
    expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    const gone = await get('/console/assets/gone.js');
    expect([gone.statusCode, gone.headers['cache-control']]).toEqual([404, 'no-cache']);
  });

  it('sends a compressed file to a browser that accepts gzip, with the same content type', async () => {
    const url = '/console/assets/app-1.js';
    const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
    expect([headers['content-encoding'], gunzipSync(rawPayload).toString()]).toEqual(['gzip', 'run()']);
    const { headers: plain, body } = await get(url);
    expect([plain['content-encoding'], body]).toEqual([undefined, 'run()']);
    for (const { vary, 'content-type': type } of [headers, plain])
      expect([String(vary).toLowerCase(), type]).toEqual(['accept-encoding', 'application/javascript; charset=utf-8']);
  });

  it('serves config.json with the sign-in provider, and redirects /console to /console/', async () => {
    expect((await get('/console/config.json')).json()).toEqual(SETTINGS);
    expect((await get('/console')).headers.location).toBe('/console/');
  });

  it('answers 404 when the console was not built', async () => {
    const empty = fastify();
    await addConsole(empty, SETTINGS, path.join(root, 'nothing'));
    expect((await empty.inject({ url: '/console/' })).statusCode).toBe(404);
    await empty.close();
  });
});
