import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PUBLIC_APPS } from '../src/config';
import { startEdge, type RunningEdge } from '../src/server';

interface Seen {
  method?: string;
  url?: string;
  headers: IncomingMessage['headers'];
  sha256: string;
  remotePort?: number;
}

/** A stand-in for an app: answers with what it saw. */
async function openApp(name: string) {
  const seen: Seen[] = [];
  const answer = { handle: undefined as undefined | ((request: IncomingMessage, response: ServerResponse) => void) };
  const server: Server = createServer((request, response) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      const { method, url, headers, socket } = request;
      seen.push({ method, url, headers, sha256: hash.digest('hex'), remotePort: socket.remotePort });
      if (answer.handle) return answer.handle(request, response);
      response.writeHead(200, { 'content-type': 'application/json', 'x-app': name }).end(JSON.stringify({ app: name }));
    });
  });
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer,
    close,
    reopen: () => listen(port),
    last: () => seen.at(-1) as Seen,
  };
}

describe('the edge', () => {
  let gateway: Awaited<ReturnType<typeof openApp>>;
  let ingest: Awaited<ReturnType<typeof openApp>>;
  let edge: RunningEdge;
  beforeAll(async () => {
    [gateway, ingest] = await Promise.all([openApp('partner-gateway'), openApp('webhook-ingest')]);
    const away = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, 'http://127.0.0.1:9']));
    const upstreams = { ...away, 'partner-gateway': gateway.url, 'webhook-ingest': ingest.url };
    edge = await startEdge({ host: '127.0.0.1', port: 0, upstreams });
  });
  afterAll(async () => {
    await edge.close();
    await Promise.all([gateway.close(), ingest.close()]);
  });
  afterEach(() => {
    gateway.answer.handle = undefined;
    ingest.answer.handle = undefined;
  });

  /** Sends a path exactly as it is written: fetch would tidy it up first. */
  const raw = (path: string, method = 'GET'): Promise<{ status?: number; type?: string; body: string }> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(edge.url);
      httpRequest({ port, path, method, host: '127.0.0.1' }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode, type: response.headers['content-type'], body }),
        );
      })
        .on('error', reject)
        .end();
    });

  /** Sends bytes as they are, and reads until the edge closes the connection. */
  const exchange = async (text: string) => {
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
    // A connection that is kept open must fail the test, not hang it.
    socket.setTimeout(2_000, () => socket.destroy());
    socket.write(text);
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    await once(socket, 'close');
    const [headers = '', body = ''] = answer.replaceAll('\r\n', '\n').split('\n\n');
    const problem = (body.startsWith('{') ? JSON.parse(body) : {}) as { requestId?: string };
    return { status: Number(headers.split(' ')[1]), headers, problem };
  };

  it.each([
    ['GET', '/api/v2/partner/postback', 'partner-gateway'],
    ['PUT', '/api/v2/partner/subscription/revoke?subscriptionId=a%2Fb&x=1', 'partner-gateway'],
    ['GET', '/docs', 'partner-gateway'],
    ['GET', '/docs/', 'partner-gateway'],
    ['GET', '/docs/openapi.json', 'partner-gateway'],
    ['GET', '/docs/swagger-ui-bundle.js', 'partner-gateway'],
    ['GET', '/manager-docs', 'partner-gateway'],
    ['GET', '/manager-docs/openapi.json', 'partner-gateway'],
    ['PATCH', '/admin/partners/1', 'partner-gateway'],
    ['DELETE', '/admin/tokens/a%2Fb%20c', 'partner-gateway'],
    ['POST', '/idp/payments/webhook', 'webhook-ingest'],
    ['POST', '/idp/payments/webhook/plan-change', 'webhook-ingest'],
  ])(
    '%s %s goes to %s, path and query untouched [interface.base-path, interface.docs-page]',
    async (method, path, name) => {
      const response = await fetch(`${edge.url}${path}`, { method });
      expect([response.status, response.headers.get('x-app')]).toEqual([200, name]);
      expect((name === 'webhook-ingest' ? ingest : gateway).last()).toMatchObject({ method, url: path });
    },
  );

  it.each([
    '/',
    '/internal/postback-configurations/1/live',
    '/metrics',
    '/livez',
    '/readyz',
    '/manager-docs/LICENSE',
    '/docs-yaml',
    '/docs/LICENSE',
    '/docs/../manager-docs',
    '/administrator',
    '/api/v2/partners',
    '/api/v2/partner/../../internal',
    '/api/v2/partner/%2e%2e/%2e%2e/internal',
    '/api/v2/partner/%2E./internal',
    '/api/v2/partner/..%2f..%2finternal',
    '/api/v2/partner/..%5c..%5cinternal',
    '/api/v2/partner/..\\internal',
    '/api/v2/partner//internal',
    '/api/v2/partner/./postback',
    '/admin/..;/internal/../../internal',
    '/admin/a%00b',
    '//internal',
    '//127.0.0.1/internal',
    '/idp/payments/webhook/../../internal',
    '/idp/payments/webhook/internal',
    '/idp/payments/webhooks',
    'http://127.0.0.1/internal',
    '*',
  ])('answers 404 to %s and forwards nothing [interface.docs-page, interface.one-base-url]', async (path) => {
    const before = [gateway.seen.length, ingest.seen.length];
    const answer = await raw(path);
    expect(answer).toMatchObject({ status: 404, type: expect.stringContaining('application/problem+json') });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 404, code: 'not_found', requestId: expect.any(String) });
    expect([gateway.seen.length, ingest.seen.length]).toEqual(before);
  });

  describe('GET / of a browser', () => {
    const page = async () => {
      const response = await fetch(edge.url, { headers: { accept: 'text/html,*/*;q=0.8' } });
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };

    it('is a page without scripts whose links lead to something', async () => {
      const { status, type, text } = await page();
      expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).not.toMatch(/<script/i);
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string);
      expect(links).toEqual(['/docs', '/guide', '/manager-docs']);
      for (const link of links) expect((await fetch(`${edge.url}${link}`)).status).toBe(200);
      expect(await (await fetch(`${edge.url}/guide`)).text()).toMatch(/^# /);
    });

    it('tells which app is ready, is not, and does not answer', async () => {
      gateway.answer.handle = (_request, response) => void response.writeHead(503).end();
      ingest.answer.handle = (request) => void request.socket.destroy();
      expect((await page()).text).toMatch(/partner-gateway<td>not ready.*webhook-ingest<td>does not answer/s);
      gateway.answer.handle = undefined;
      expect((await page()).text).toMatch(/partner-gateway<td>ready/);
    });
  });

  it.each([
    ['half of a percent code', '/admin/%', 400, 'malformed_request'],
    ['%zz in a path', '/admin/%zz', 400, 'malformed_request'],
    ['%zz in an unknown path', '/%zz', 400, 'malformed_request'],
    ['a query of 20 kB', `/admin/partners?cursor=${'a'.repeat(20_000)}`, 414, 'uri_too_long'],
  ])('answers %s as problem+json, with the request id in body and header', async (_, path, status, code) => {
    const answer = await exchange(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatchObject({
      status,
      problem: { status, code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toContain(`x-request-id: ${answer.problem.requestId}`);
  });

  it.each([
    ['two Host headers', 'GET /admin/partners HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400, 'malformed_request'],
    ['no Host header', 'GET /admin/partners HTTP/1.1\r\naccept: */*\r\n\r\n', 400, 'malformed_request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST /admin/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
      'malformed_request',
    ],
    [
      'a length and chunks',
      'POST /admin/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['a broken header', 'GET /admin/partners HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'malformed_request'],
    [
      'headers of 20 kB',
      `GET /admin/partners HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['CONNECT', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'method_not_allowed'],
  ])('answers %s as problem+json with a request id, and forwards nothing', async (_, text, status, code) => {
    const before = gateway.seen.length;
    const answer = await exchange(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect(answer).toMatchObject({ status, problem: { status, code, requestId: expect.any(String) } });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toContain(`x-request-id: ${answer.problem.requestId}`);
    expect(gateway.seen.length).toBe(before);
  });

  it.each(['TRACE', 'QUERY', 'PROPFIND', 'OPTIONS'])(
    'passes %s on, so that the app can tell which methods a path has',
    async (method) => {
      const answer = await exchange(`${method} /admin/partners HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(answer.status).toBe(200);
      expect(gateway.last()).toMatchObject({ method, url: '/admin/partners' });
    },
  );

  it('closes the connection of a client that asks for it, whatever the app says of its own', async () => {
    const answer = await exchange('GET /admin/partners HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(answer.headers).toMatch(/^connection: close$/im);
    expect(answer.headers).not.toMatch(/keep-alive/i);
  });

  it('passes the largest body that an app takes through unchanged, whatever they claim to be', async () => {
    for (const type of ['application/json', 'application/octet-stream', 'text/plain; charset=latin1']) {
      const body = randomBytes(256 * 1024);
      await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body, headers: { 'content-type': type } });
      expect(ingest.last().sha256).toBe(createHash('sha256').update(body).digest('hex'));
      expect(ingest.last().headers['content-type']).toBe(type);
    }
  });

  it.each([
    ['/api/v2/partner/subscription/revoke', 64 * 1024, 'payload_too_large'],
    ['/idp/payments/webhook', 256 * 1024, undefined],
  ])('answers a body that is too large for %s 413, each time, and asks no app', async (path, limit, code) => {
    const before = gateway.seen.length + ingest.seen.length;
    for (const size of [limit + 1, 1_000_000, 5_000_000, 1_000_000]) {
      const answer = await fetch(edge.url + path, { method: 'POST', body: randomBytes(size) });
      expect(answer.status).toBe(413);
      expect(((await answer.json()) as { code?: string }).code).toBe(code);
    }
    expect(gateway.seen.length + ingest.seen.length).toBe(before);
  });

  it.each([
    ['/api/v2/partner/subscription/revoke', 64 * 1024, 'payload_too_large'],
    ['/idp/payments/webhook', 256 * 1024, undefined],
  ])('answers a chunked body that is too large for %s 413, each time', async (path, limit, code) => {
    for (const size of [limit + 1, 1_000_000, limit + 1]) {
      const body = new Blob([randomBytes(size)]).stream();
      const answer = await fetch(edge.url + path, { method: 'POST', body, duplex: 'half' } as RequestInit);
      expect(answer.status).toBe(413);
      expect(((await answer.json()) as { code?: string }).code).toBe(code);
    }
    const body = randomBytes(limit);
    const stream = new Blob([body]).stream();
    const answer = await fetch(edge.url + path, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(200);
    expect((code ? gateway : ingest).last().sha256).toBe(createHash('sha256').update(body).digest('hex'));
  });

  it('takes a client that asks with Expect before it sends', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { expect: '100-continue', 'content-length': '2', 'content-type': 'application/json' };
      const { port } = new URL(edge.url);
      const options = { port, host: '127.0.0.1', method: 'POST', path: '/idp/payments/webhook', headers };
      const sending = httpRequest(options, (response) => resolve(response.statusCode)).on('error', reject);
      sending.on('continue', () => sending.end('{}'));
    });
    expect(status).toBe(200);
    expect(ingest.last().headers).not.toHaveProperty('expect');
  });

  it('passes a GET with a body on without it', async () => {
    const answer = await new Promise((resolve) => {
      const { port } = new URL(edge.url);
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('GET /admin/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'),
      );
      socket.once('data', (data) => resolve(data.toString().split('\r\n')[0]));
    });
    expect(answer).toBe('HTTP/1.1 200 OK');
  });

  it('echoes a request id, makes one for a bad one, and passes it on [errors.request-id]', async () => {
    const ask = (id: string) => fetch(`${edge.url}/admin/partners`, { headers: { 'x-request-id': id } });
    expect((await ask('abc-1.2_3')).headers.get('x-request-id')).toBe('abc-1.2_3');
    expect(gateway.last().headers['x-request-id']).toBe('abc-1.2_3');
    const made = (await ask('not a good one')).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.last().headers['x-request-id']).toBe(made);
    expect((await fetch(`${edge.url}/none`, { headers: { 'x-request-id': 'mine' } })).headers.get('x-request-id')).toBe(
      'mine',
    );
  });

  it('tells the app where a request came from, and not what the outside claims', async () => {
    const claims = {
      'x-forwarded-for': '8.8.8.8',
      'x-forwarded-proto': 'https',
      'x-real-ip': '8.8.8.8',
      forwarded: 'for=8.8.8.8',
    };
    await fetch(`${edge.url}/admin/partners`, { headers: claims });
    const { headers } = gateway.last();
    expect([headers['x-forwarded-for'], headers['x-forwarded-proto']]).toEqual(['127.0.0.1', 'http']);
    expect(JSON.stringify(headers)).not.toContain('8.8.8.8');
  });

  it('keeps connections to an app open', async () => {
    for (let i = 0; i < 3; i++) await (await fetch(`${edge.url}/admin/partners?n=${i}`)).text();
    const ports = gateway.seen.slice(-3).map(({ remotePort }) => remotePort);
    expect(new Set(ports).size).toBe(1);
  });

  it('asks an app once, whatever it answers', async () => {
    gateway.answer.handle = (_request, response) => response.writeHead(503, { 'retry-after': '5' }).end('{}');
    const before = gateway.seen.length;
    expect((await fetch(`${edge.url}/admin/partners`)).status).toBe(503);
    expect(gateway.seen.length - before).toBe(1);
  });

  it('passes status, headers and redirects of an app on', async () => {
    gateway.answer.handle = (_request, response) =>
      response.writeHead(302, { location: '/admin/elsewhere', 'x-own': '1' }).end();
    const response = await fetch(`${edge.url}/admin/partners`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location'), response.headers.get('x-own')]).toEqual([
      302,
      '/admin/elsewhere',
      '1',
    ]);
  });

  it('answers 503 for an app that hangs up in the middle', async () => {
    gateway.answer.handle = (request) => request.socket.destroy();
    const response = await fetch(`${edge.url}/admin/partners`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('answers 503 in the form of the product while an app is down, and goes on when it is back', async () => {
    await Promise.all([gateway.close(), ingest.close()]);
    const partner = await fetch(`${edge.url}/api/v2/partner/postback`);
    expect([partner.status, partner.headers.get('retry-after')]).toEqual([503, '5']);
    expect(partner.headers.get('content-type')).toContain('application/problem+json');
    expect(await partner.json()).toMatchObject({ status: 503, code: 'service_unavailable' });

    const webhook = await fetch(`${edge.url}/idp/payments/webhook`, { method: 'POST', body: '{}' });
    expect([webhook.status, webhook.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await webhook.json()).toEqual({ error: expect.any(String) });

    await Promise.all([gateway.reopen(), ingest.reopen()]);
    expect((await fetch(`${edge.url}/api/v2/partner/postback`)).status).toBe(200);
  });
});
