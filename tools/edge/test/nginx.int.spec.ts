import { eventually } from '@tandem/testing';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { APPS, SITES } from '../../../apps/apps';
import { GENERATED_NGINX_FILES, NGINX_FILES } from '../src/nginx/files';
import { exchange, sendRaw } from './edge-under-test';
import { describeNginx, NginxUnderTest, problemsOf } from './nginx-under-test';
import { SERVED_PATHS, UNSERVED_PATHS } from './paths';

const ROOT = path.resolve(__dirname, '../../..');

describe.each(Object.entries(GENERATED_NGINX_FILES))('%s', (file, text) => {
  it('matches its source; if not, run npm run k8s', () => {
    expect(readFileSync(path.join(ROOT, file), 'utf8')).toBe(text());
  });
});

describe.each(Object.entries(NGINX_FILES))('%s', (_, text) => {
  it('routes only to the public apps and to the sites, each on its own port', () => {
    const targets = [...text().matchAll(/set \$app (\S+);/g)].map(([, target]) => target as string);
    const found = new Set(targets.map((target) => target.replace('.tandem-local.svc.cluster.local', '')));
    const expected = [...APPS.filter(({ routes, docs }) => routes ?? docs), ...SITES];
    expect([...found].sort()).toEqual(expected.map(({ name, port }) => `${name}:${port}`).sort());
    expect(text()).not.toMatch(/location [^{]*(internal\/|metrics|livez|readyz)/);
  });
});

describeNginx.each(Object.entries(NGINX_FILES))('%s', (_, text) => {
  it('is accepted by nginx -t', () => {
    // The host name of the cluster's name server can be resolved only inside the cluster.
    expect(problemsOf(text().replace('kube-dns.kube-system.svc.cluster.local', '127.0.0.11'))).toBe('');
  });
});

describeNginx('nginx as the edge', () => {
  const edge = new NginxUnderTest();
  const open: Socket[] = [];
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));
  const begin = async (): Promise<void> => {
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1').on('error', () => undefined);
    socket.resume(); // a socket whose answer is not read never reports its end
    open.push(socket);
    await once(socket, 'connect');
    socket.write('POST /idp/payments/webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{');
  };
  const seen = (): number => edge.gateway.seen.length + edge.ingest.seen.length;

  it.each([
    ...SERVED_PATHS,
    // The edge of npm start serves these paths itself.
    ['GET', '/console', 'console'] as const,
    ['GET', '/console/', 'console'] as const,
    ['GET', '/console/partners/ptn_1?tab=tokens', 'console'] as const,
    ['GET', '/docs', 'docs'] as const,
    ['GET', '/docs/reference/partner', 'docs'] as const,
    ['GET', '/manager-docs', 'docs'] as const,
    ['GET', '/guide', 'docs'] as const,
  ])('forwards %s %s with path and query unchanged', async (method, target, app) => {
    const { status } = await sendRaw(edge.url, target, method);
    expect(status).toBe(200);
    expect((app === 'webhook-ingest' ? edge.ingest : edge.gateway).last()).toMatchObject({ method, url: target });
  });

  it.each([
    // Leaves out the paths that contain an encoded NUL, because nginx itself answers them with 400.
    ...UNSERVED_PATHS.filter((target) => !target.includes('%00')),
    '/internal/..%2fapi/v2/partner/postback',
    '/internal/%2e%2e/admin/partners',
    '/.errors/problem/404',
    '/consoles',
    '/console/../internal',
  ])('answers 404 to %s and forwards nothing', async (target) => {
    const before = seen();
    const answer = await sendRaw(edge.url, target);
    const plain = { error: 'Nothing is served under this path.' };
    const problem = { status: 404, code: 'not_found', requestId: expect.any(String) };
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject(target.startsWith('/idp/') ? plain : problem);
    expect(seen()).toBe(before);
  });

  it.each([
    ['%zz in a path', 'GET /admin/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'malformed_request'],
    ['no Host header', 'GET /admin/partners HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['two Host headers', 'GET /admin/partners HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400, 'malformed_request'],
    ['a query of 20 kB', `GET /admin?x=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'uri_too_long'],
    [
      'a header of 20 kB',
      `GET /admin HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a NUL in a path', 'GET /admin/a%00b HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'malformed_request'],
    ['CONNECT', 'CONNECT /admin HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'method_not_allowed'],
    [
      'an unknown encoding',
      'POST /admin HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n',
      400,
      'malformed_request',
    ],
  ])('answers %s as problem+json with a request id, and forwards nothing', async (_, text, status, code) => {
    const before = seen();
    const answer = await exchange(edge.url, text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect(answer).toMatchObject({ status, problem: { status, code } });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toMatch(new RegExp(`^x-request-id: ${answer.problem.requestId}$`, 'im'));
    expect(answer.headers).toMatch(/^x-content-type-options: nosniff$/im);
    expect(seen()).toBe(before);
  });

  it.each([
    ['%zz in a path', 'GET /idp/array/users/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a query of 20 kB', `GET /ids2/locations?x=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414],
  ])('answers %s below /idp and /ids2 in the form of these APIs', async (_, text, status) => {
    const answer = await exchange(edge.url, text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect(answer).toMatchObject({ status, problem: { error: expect.any(String) } });
  });

  it.each([
    ['/api/v2/partner/subscription/revoke', 64 * 1024, 'payload_too_large'],
    ['/idp/payments/webhook', 256 * 1024, undefined],
  ])('forwards the largest body of %s unchanged, and answers 413 to a larger body', async (target, limit, code) => {
    const body = randomBytes(limit);
    expect((await fetch(edge.url + target, { method: 'POST', body })).status).toBe(200);
    const { sha256 } = (code ? edge.gateway : edge.ingest).last();
    expect(sha256).toBe(createHash('sha256').update(body).digest('hex'));
    const before = seen();
    for (const size of [limit + 1, 1_000_000]) {
      const answer = await fetch(edge.url + target, { method: 'POST', body: randomBytes(size) });
      expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([413, code]);
    }
    const stream = new Blob([randomBytes(limit + 1)]).stream();
    const chunked = await fetch(edge.url + target, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(seen()).toBe(before);
  });

  it('keeps a valid request id, replaces an invalid id, and forwards the client’s real address', async () => {
    const ask = async (headers: Record<string, string>) => {
      await fetch(`${edge.url}/admin/partners`, { headers });
      return edge.gateway.last().headers;
    };
    expect((await ask({ 'x-request-id': 'abc-1.2_3' }))['x-request-id']).toBe('abc-1.2_3');
    expect((await ask({ 'x-request-id': 'not a good one' }))['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    const claims = { 'x-forwarded-for': '8.8.8.8', 'x-real-ip': '8.8.8.8', forwarded: 'for=8.8.8.8' };
    const headers = await ask({ ...claims, 'x-forwarded-proto': 'https', 'x-forwarded-port': '8.8.8.8' });
    expect([headers['x-forwarded-for'], headers['x-forwarded-proto']]).toEqual(['127.0.0.1', 'http']);
    expect(JSON.stringify(headers)).not.toContain('8.8.8.8');
  });

  it("forwards an app's own error unchanged, and calls the app once", async () => {
    const text = '{"error":"unauthorized"}\n';
    edge.ingest.answer.handle = (_request, response) =>
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '7' }).end(text);
    const before = seen();
    const answer = await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([503, '7', text]);
    expect(seen() - before).toBe(1);
  });

  it('answers 503 in the error form of the API while an app is down, and recovers when the app is back', async () => {
    await Promise.all([edge.gateway.close(), edge.ingest.close()]);
    const partner = await fetch(`${edge.url}/api/v2/partner/postback`);
    expect([partner.status, partner.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await partner.json()).toMatchObject({ code: 'service_unavailable', instance: '/api/v2/partner/postback' });
    const webhook = await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{}' });
    expect(await webhook.json()).toEqual({ error: 'The service does not answer right now. Please try again.' });
    await Promise.all([edge.gateway.reopen(), edge.ingest.reopen()]);
    expect((await fetch(`${edge.url}/api/v2/partner/postback`)).status).toBe(200);
  });

  it('uses no connection to an app for incomplete bodies, so a webhook is answered while 300 of them are open', async () => {
    await Promise.all(Array.from({ length: 300 }, begin));
    for (let count = 0; count < 20; count++) {
      const answer = await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{"paid":true}' });
      expect(answer.status).toBe(200);
    }
    expect(await edge.ingest.connections()).toBeLessThan(10);
  });

  it('answers 503 with Retry-After to a client that has 512 open requests, until they end', async () => {
    // Keeps sending the bodies, so that nginx does not time them out.
    const more = setInterval(() => open.forEach((socket) => socket.write('{')), 1_000);
    // nginx counts a request only when it has read the headers, which may be some time after they were sent.
    await eventually(async () => {
      // On a busy machine, a body may pause for longer than client_body_timeout, and nginx then ends its request. A new request
      // replaces each request that has ended.
      const running = open.filter((socket) => !socket.destroyed).length;
      await Promise.all(Array.from({ length: 520 - running }, begin));
      const answer = await fetch(`${edge.url}/admin/partners`);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    });
    clearInterval(more);
    open.splice(0).forEach((socket) => socket.destroy());
    await eventually(async () => expect((await fetch(`${edge.url}/admin/partners`)).status).toBe(200));
  });
});
