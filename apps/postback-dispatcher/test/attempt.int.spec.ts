import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AttemptClient, PreparedTarget } from '../src/attempt/attempt.client';
import type { EndpointTarget } from '../src/attempt/attempt.rules';
import type { AttemptOutcome } from '../src/attempt/attempt-types';
import { SsrfGuard } from '../src/ssrf/ssrf-guard';
import { answer, Behaviour, EndpointServer } from './endpoint-server';

const GUARD = new SsrfGuard({ allowLoopback: true, requireHttps: false });
const TOTAL_MS = 1_500;
/** Time limits for attempts that must not time out even on a busy machine. */
const PATIENT = { connectMs: 20_000, totalMs: 20_000 };

describe('one attempt', () => {
  let endpoint: EndpointServer;
  let client: AttemptClient;
  /** A client with a short timeout, for attempts that are expected to time out. */
  let hasty: AttemptClient;

  beforeAll(async () => {
    endpoint = await EndpointServer.start();
    client = new AttemptClient(GUARD, PATIENT);
    hasty = new AttemptClient(GUARD, { connectMs: TOTAL_MS, totalMs: TOTAL_MS });
  });
  afterAll(async () => {
    await client.close();
    await hasty.close();
    await endpoint.stop();
  });

  const send = (
    change: Partial<EndpointTarget> = {},
    environment: 'live' | 'test' = 'live',
    by = client,
  ): Promise<AttemptOutcome> => {
    const target = { url: endpoint.url, authMethod: 'Bearer', key: 'the-key', signingSecrets: [], ...change } as const;
    const delivery = {
      id: 'id',
      createdAt: 0,
      partnerId: 'p',
      environment,
      kind: 'sale' as const,
      oid: 'o',
      body: '{"oid":"o"}',
      eventId: 'e',
      traceparent: null,
      attemptCount: 0,
      attemptsBeforeReplay: 0,
    };
    return by.send(new PreparedTarget(target), delivery);
  };
  const sendTo = (behaviour: Behaviour, by = client): Promise<AttemptOutcome> => {
    endpoint.always(behaviour);
    return send({}, 'live', by);
  };

  it.each([200, 201, 202, 204, 299])('succeeds when the status is %d [delivery.success]', async (status) =>
    expect(await sendTo(answer(status))).toMatchObject({ status, stage: null, timedOut: false }),
  );

  it.each([301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    'fails when the status is %d [delivery.success, delivery.redirects]',
    async (status) =>
      expect(await sendTo(answer(status, { location: endpoint.url }))).toMatchObject({ status, stage: 'status' }),
  );

  it('returns Retry-After unparsed', async () =>
    expect(await sendTo(answer(429, { 'retry-after': '17' }))).toMatchObject({ retryAfter: '17' }));

  it('times out when the endpoint does not answer [delivery.timeout]', async () => {
    const outcome = await sendTo(() => undefined, hasty);
    expect(outcome).toMatchObject({ status: null, stage: 'timeout', detail: 'waiting', timedOut: true });
    expect(outcome.latencyMs).toBeGreaterThanOrEqual(TOTAL_MS - 5);
  });

  it('times out when the body of a 2xx answer arrives byte by byte [delivery.timeout]', async () => {
    let drip: NodeJS.Timeout | undefined;
    const outcome = await sendTo((_, response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drip));
    }, hasty);
    expect(outcome).toMatchObject({ status: 200, stage: 'timeout', detail: 'reading', timedOut: true });
    expect(outcome.response).toMatch(/^\.+$/);
  });

  it('keeps 2 KiB of a 50 MB body, and aborts the request [delivery.response-kept]', async () => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      endpoint.always((_, response) => {
        response.writeHead(200, { 'content-length': 50 * 1024 * 1024 }).on('close', resolve);
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const write = (): void => {
          if (response.destroyed || written >= 50 * 1024 * 1024) return;
          response.write(chunk, () => {
            written += chunk.length;
            write();
          });
        };
        write();
      });
    });
    const outcome = await send();
    expect(outcome).toMatchObject({ status: 200, stage: null });
    expect(outcome.response).toBe('x'.repeat(2048));
    await closed;
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('keeps a body of exactly 2 KiB completely [delivery.response-kept]', async () =>
    expect((await sendTo(answer(200, {}, 'y'.repeat(2048)))).response).toHaveLength(2048));

  it('keeps the answer as text that Postgres can store', async () => {
    const { response } = await sendTo((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0xc3])));
    expect(response).toBe('a\ufffd\ufffd');
  });

  it("redacts the partner's key when the endpoint echoes it [postback.key-never-back]", async () => {
    endpoint.always(({ headers }, response) => response.end(`you sent ${headers.authorization}`));
    expect((await send()).response).toBe('you sent Bearer [redacted]');
    const basic = await send({ authMethod: 'Basic', key: 'user:password' });
    expect(basic.response).toBe('you sent Basic [redacted]');
  });

  it('reports that the connection was reset', async () =>
    expect(await sendTo((_, __, socket) => void socket.resetAndDestroy())).toMatchObject({
      stage: 'reset',
      status: null,
    }));

  it('reports that the connection ended in the middle of the body', async () => {
    const outcome = await sendTo((_, response, socket) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('only this', () => socket.destroy());
    });
    expect(outcome).toMatchObject({ status: 200, stage: 'body' });
  });

  it('reports that the connection was refused [delivery.connect-timeout]', async () => {
    const gone = await EndpointServer.start();
    const { url } = gone;
    await gone.stop();
    expect(await send({ url })).toMatchObject({ stage: 'connect', detail: 'ECONNREFUSED', status: null });
  });

  it('reports that the answer is not HTTP', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).write('SSH-2.0-OpenSSH_9.6\r\n'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await send({ url: `http://127.0.0.1:${port}/` });
    server.close();
    expect(outcome).toMatchObject({ stage: 'protocol', status: null });
  });

  describe('at a TCP server that answers with raw bytes', () => {
    /** Makes an attempt at a server that answers with these bytes, and then keeps, ends or resets the connection. */
    const sendToBytes = async (
      text: string,
      then: 'keeps' | 'ends' | 'resets',
      by = client,
    ): Promise<AttemptOutcome> => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write(text, () => {
            if (then === 'ends') socket.end();
            if (then === 'resets') setTimeout(() => socket.resetAndDestroy(), 50);
          }),
        );
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const outcome = await send({ url: `http://127.0.0.1:${port}/` }, 'live', by);
      for (const socket of sockets) socket.destroy();
      server.close();
      return outcome;
    };

    it.each([
      ['204 with a Content-Length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 204],
      [
        '204 with a Content-Length and a body of that length',
        'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello',
        204,
      ],
      [
        '204 with a chunked body that never arrives',
        'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n',
        204,
      ],
      ['204 with a Content-Length of 0', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', 204],
      ['205 with a Content-Length', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\n', 205],
      ['200 with a longer body than it announced', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more', 200],
      ['200 with bytes after an empty body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\nok', 200],
      ['103 before 200', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200],
    ])('succeeds when the answer is %s', async (_, text, status) => {
      for (const then of ['keeps', 'ends', 'resets'] as const) {
        expect(await sendToBytes(text, then)).toMatchObject({ status, stage: null, timedOut: false });
      }
    });

    it('succeeds after a 200 without a length only if the server closes the connection', async () => {
      const text = 'HTTP/1.0 200 OK\r\n\r\nfine';
      expect(await sendToBytes(text, 'ends')).toMatchObject({ status: 200, stage: null, response: 'fine' });
      expect(await sendToBytes(text, 'keeps', hasty)).toMatchObject({
        status: 200,
        stage: 'timeout',
        detail: 'reading',
      });
    });

    it.each([
      ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'body'],
      ['fewer bytes than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfew', 'body'],
      ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', 'reset'],
    ])('fails when the answer is 200 with %s', async (_, text, stage) => {
      expect(await sendToBytes(text, 'ends')).toMatchObject({ stage, timedOut: false });
    });

    it('fails with an error that names 100 Continue when the server sends this status before 200', async () => {
      const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
      expect(await sendToBytes(text, 'keeps')).toMatchObject({
        stage: 'protocol',
        detail: '100 Continue',
        status: null,
      });
    });

    it('ignores 103 Early Hints before 200', async () => {
      const text = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
      expect(await sendToBytes(text, 'keeps')).toMatchObject({ stage: null, status: 200, response: 'ok' });
    });

    it('sends each request once, and succeeds, when every answer is 204 with extra bytes', async () => {
      let requests = '';
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (chunk) => {
          requests += chunk.toString();
          socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello');
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      for (let times = 1; times <= 3; times++) {
        expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: 204, stage: null });
      }
      expect(requests.match(/POST \//g)).toHaveLength(3);
      server.close();
    });
  });

  it('encodes Basic keys as base64 of their UTF-8 bytes [postback.basic-encoded, postback-headers.own]', async () => {
    endpoint.always(answer(200));
    await send({ authMethod: 'Basic', key: 'üser:päss:wörd' });
    const expected = Buffer.from('üser:päss:wörd', 'utf8').toString('base64');
    expect(endpoint.received.at(-1)?.headers.authorization).toBe(`Basic ${expected}`);
  });

  it('sends the header X-Environment only in the test environment [tokens.test-header]', async () => {
    await send({}, 'test');
    expect(endpoint.received.at(-1)?.headers['x-environment']).toBe('test');
    await send({}, 'live');
    expect(endpoint.received.at(-1)?.headers).not.toHaveProperty('x-environment');
  });

  it('keeps the path and the query of the URL', async () => {
    await send({ url: `http://127.0.0.1:${endpoint.port}/a%20b?c=d&e=%C3%A9` });
    expect(endpoint.received.at(-1)?.path).toBe('/a%20b?c=d&e=%C3%A9');
  });

  it('refuses a saved URL that is no longer allowed', async () => {
    const strict = new AttemptClient(new SsrfGuard({ allowLoopback: false, requireHttps: true }), {
      connectMs: 300,
      totalMs: 300,
    });
    const target = new PreparedTarget({ url: endpoint.url, authMethod: 'Bearer', key: 'k', signingSecrets: [] });
    const before = endpoint.received.length;
    const delivery = {
      id: 'id',
      createdAt: 0,
      partnerId: 'p',
      environment: 'live',
      kind: 'sale',
      oid: 'o',
      body: '{}',
      eventId: 'e',
      traceparent: null,
      attemptCount: 0,
      attemptsBeforeReplay: 0,
    } as const;
    expect(await strict.send(target, delivery)).toMatchObject({ stage: 'ssrf_refused' });
    expect(endpoint.received).toHaveLength(before);
    await strict.close();
  });

  it('reports a reset during the TLS handshake as a failed connection, because no request was sent', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await send({ url: `https://127.0.0.1:${port}/` });
    server.close();
    expect(outcome).toMatchObject({ stage: 'connect', detail: 'ECONNRESET', status: null });
  });

  describe('over TLS', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'tandem-tls-'));
    const file = (name: string): string => path.join(directory, name);

    beforeAll(() => {
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
      execFileSync('openssl', ['req', '-x509', ...key, '-out', file('cert.pem'), '-days', '2', ...subject], {
        stdio: 'ignore',
      });
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    it('trusts only known CAs, and checks the host name', async () => {
      const [key, cert] = [readFileSync(file('key.pem')), readFileSync(file('cert.pem'), 'utf8')];
      const server = createTlsServer({ key, cert }, (_, response) => response.end('ok'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      expect(await send({ url: `https://localhost:${port}/` })).toMatchObject({ stage: 'tls', status: null });

      const resolving = new SsrfGuard({ allowLoopback: true, requireHttps: true }, async () => [
        { address: '127.0.0.1', family: 4 },
      ]);
      const trusting = new AttemptClient(resolving, { connectMs: 1000, totalMs: 2000 }, cert);
      const delivery = {
        id: 'id',
        createdAt: 0,
        partnerId: 'p',
        environment: 'live',
        kind: 'sale',
        oid: 'o',
        body: '{}',
        eventId: 'e',
        traceparent: null,
        attemptCount: 0,
        attemptsBeforeReplay: 0,
      } as const;
      const to = (host: string): Promise<AttemptOutcome> =>
        trusting.send(
          new PreparedTarget({ url: `https://${host}:${port}/`, authMethod: 'Bearer', key: 'k', signingSecrets: [] }),
          delivery,
        );
      expect(await to('localhost')).toMatchObject({ stage: null, status: 200 });
      expect(await to('other.example')).toMatchObject({ stage: 'tls', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      await trusting.close();
      server.closeAllConnections();
      server.close();
    });
  });
});
