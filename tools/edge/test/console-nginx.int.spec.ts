import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { readConsole } from '../src/config';
import { consoleHeaders, consolePolicy } from '../src/console-headers';
import { addConsole } from '../src/console-site';
import { consoleNginxConfig } from '../src/nginx/console-config';
import { CONSOLE_NGINX_FILE, GENERATED_NGINX_FILES } from '../src/nginx/files';
import { sendRaw } from './edge-under-test';
import { describeNginx, problemsOf, type RunningNginx, startNginx } from './nginx-under-test';

const ROOT = path.resolve(__dirname, '../../..');
const PAGE = '<title>Console</title>';
const ISSUER = 'https://issuer.example.com/staff';

/** Runs settings.sh of the console's image with an environment. */
const settingsOf = (env: NodeJS.ProcessEnv) =>
  spawnSync('sh', [path.join(ROOT, 'apps/console/image/settings.sh')], { env, encoding: 'utf8' });

const SETTINGS: readonly NodeJS.ProcessEnv[] = [
  {},
  { CONSOLE_OIDC_ISSUER: ISSUER },
  { CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:4100/issuer/service', CONSOLE_OIDC_CLIENT_ID: 'a-console' },
  { CONSOLE_OIDC_ISSUER: 'https://login.example.com', CONSOLE_OIDC_SCOPE: 'openid support api://tandem/.default' },
];

describe('the settings of the console’s image', () => {
  it.each(SETTINGS)('are the same as those that the edge of npm start reads from %j', (env) => {
    const { stdout, status } = settingsOf(env);
    const values = [...stdout.matchAll(/^map "" \$(\w+) \{ default "(.*)"; \}$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const { issuer, clientId, scope } = readConsole(env);
    expect([status, Object.fromEntries(values)]).toEqual([0, { issuer, client_id: clientId, scope }]);
  });

  it.each([
    ['CONSOLE_OIDC_ISSUER', 'issuer.example.com'],
    ['CONSOLE_OIDC_ISSUER', 'ftp://issuer.example.com'],
    ['CONSOLE_OIDC_ISSUER', 'https://'],
    ['CONSOLE_OIDC_ISSUER', "https://a.example.com; script-src 'unsafe-inline'"],
    ['CONSOLE_OIDC_ISSUER', 'https://a.example.com"; } server { listen 1; }'],
    ['CONSOLE_OIDC_ISSUER', 'https://a.example.com/$host'],
    ['CONSOLE_OIDC_CLIENT_ID', 'a"b'],
    ['CONSOLE_OIDC_SCOPE', 'openid\nsupport'],
    ['CONSOLE_OIDC_SCOPE', 'openid\\support'],
  ])('refuse %s=%j with exit code 78, and name the variable', (name, value) => {
    const { status, stderr } = settingsOf({ CONSOLE_OIDC_ISSUER: ISSUER, [name]: value });
    expect([status, stderr.split(' ')[0]]).toEqual([78, name]);
  });
});

describeNginx('nginx in the console’s image', () => {
  const files = mkdtempSync(path.join(tmpdir(), 'tandem-console-'));
  const site = path.join(files, 'console');
  const env = { CONSOLE_OIDC_ISSUER: ISSUER, CONSOLE_OIDC_SCOPE: 'openid support' };
  let nginx: RunningNginx;
  let edge: FastifyInstance;

  beforeAll(async () => {
    mkdirSync(path.join(site, 'assets'), { recursive: true });
    cpSync(path.join(ROOT, 'apps/console/public'), site, { recursive: true });
    writeFileSync(path.join(site, 'index.html'), PAGE);
    writeFileSync(path.join(site, 'assets/app-1.js'), 'run()');
    writeFileSync(path.join(site, 'assets/app-1.js.gz'), gzipSync('run()'));
    writeFileSync(path.join(site, 'assets/app-1.css'), 'a {}');
    chmodSync(files, 0o755);
    nginx = await startNginx((port, folder) => consoleNginxConfig({ port, files, folder }), settingsOf(env).stdout);
    edge = fastify();
    await addConsole(edge, readConsole(env), site);
  });
  afterAll(async () => {
    await Promise.all([nginx.stop(), edge.close()]);
    rmSync(files, { recursive: true });
  });

  const ownHeaders = [...Object.keys(consoleHeaders(readConsole(env))), 'cache-control'];
  const get = (url: string, headers: Record<string, string> = {}) =>
    fetch(nginx.url + url, { headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' });

  it('accepts the configuration of the image', () => {
    const text = GENERATED_NGINX_FILES[CONSOLE_NGINX_FILE] as () => string;
    expect(problemsOf(text(), settingsOf(env).stdout)).toBe('');
  });

  it.each([
    '/console',
    '/console/',
    '/console/index.html',
    '/console/overview',
    '/console/partners/ptn_1?tab=tokens',
    '/console/support/users/krn%3Atandem%3Auser%3Aa',
    '/console/config.json',
    '/console/favicon.svg',
    '/console/color-scheme.js',
    '/console/assets/app-1.js',
    '/console/assets/app-1.css',
    '/console/assets/gone.js',
    '/console/assets/',
    '/console/assets',
  ])('answers %s as the edge of npm start does', async (url) => {
    const [answer, wanted] = await Promise.all([get(url), edge.inject({ url })]);
    expect(answer.status).toBe(wanted.statusCode);
    const isFile = answer.status === 200;
    if (isFile) expect(await answer.text()).toBe(wanted.body);
    const names = [...ownHeaders, 'location', ...(isFile ? ['content-type'] : [])];
    for (const name of names) expect([name, answer.headers.get(name)]).toEqual([name, wanted.headers[name] ?? null]);
  });

  it('names the origin of the sign-in provider, without its path, in the Content-Security-Policy of every answer', async () => {
    for (const url of [
      '/console/',
      '/console/config.json',
      '/console/assets/app-1.js',
      '/console/assets/gone.js',
      '/',
    ]) {
      const { headers } = await get(url);
      expect(headers.get('content-security-policy')).toBe(consolePolicy('https://issuer.example.com'));
    }
    const other = await startNginx(
      (port, folder) => consoleNginxConfig({ port, files, folder }),
      settingsOf({}).stdout,
    );
    const { headers } = await fetch(`${other.url}/console/`);
    await other.stop();
    expect(headers.get('content-security-policy')).toBe(consolePolicy(''));
  });

  it('sends the compressed copy of a file to a browser that accepts gzip', async () => {
    const answer = await get('/console/assets/app-1.js', { 'accept-encoding': 'gzip' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(await answer.text()).toBe('run()');
  });

  it('answers 304 with the same caching and policy headers to a browser that has the current file', async () => {
    const { headers } = await get('/console/assets/app-1.js');
    const again = await get('/console/assets/app-1.js', { 'if-none-match': headers.get('etag') as string });
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, headers.get('cache-control')]);
    expect(again.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
  });

  it('answers errors as problem+json with the request’s id and path', async () => {
    const missing = await get('/console/assets/gone.js', { 'x-request-id': 'abc-1' });
    expect(missing.headers.get('content-type')).toBe('application/problem+json');
    expect(missing.headers.get('x-request-id')).toBe('abc-1');
    const problem = { status: 404, code: 'not_found', instance: '/console/assets/gone.js', requestId: 'abc-1' };
    expect(await missing.json()).toMatchObject(problem);
    const posted = await fetch(`${nginx.url}/console/config.json`, { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it.each([
    ['/', 404],
    ['/consoles', 404],
    ['/etc/passwd', 404],
    ['/console/../console-settings', 404],
    ['/.errors/404', 404],
    ['/console/..%2f..%2fetc/passwd', 400],
  ])('serves no file for %s', async (url, status) => {
    const answer = await sendRaw(nginx.url, url);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, expect.objectContaining({ status })]);
  });

  it('answers 200 to the liveness probe /livez and the readiness probe /readyz', async () => {
    expect([(await get('/livez')).status, (await get('/readyz')).status]).toEqual([200, 200]);
  });
});

describe('apps/console/image/Dockerfile', () => {
  it('uses the folders of the configuration, and does not run as root', () => {
    const text = readFileSync(path.join(ROOT, 'apps/console/image/Dockerfile'), 'utf8');
    expect(text).toMatch(/^USER 1000:1000$/m);
    expect(text).toContain('>/tmp/settings.conf;');
    expect(text).toContain('/usr/share/nginx/html/console');
  });
});
