import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { SampleApp } from './fixture/sample-app';

describe('an app that gets a request it cannot read', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await SampleApp.start();
  });
  afterAll(() => app.running.close());

  it.each([
    ['broken JSON', '{"size":'],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a __proto__ key', '{"__proto__":{"size":1}}'],
    ['400 nested brackets', `{"size":1,"inner":${'['.repeat(400)}${']'.repeat(400)}}`],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('answers a body with %s with 400 malformed_request [errors.malformed-request]', async (_, body) => {
    const answer = await app.post(body);
    expect([answer.status, answer.json()['code']]).toEqual([400, 'malformed_request']);
  });

  it('authenticates the caller before it refuses the body', async () => {
    const answer = await app.call('/things/guarded', {
      method: 'POST',
      body: '{"size":',
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.json()['code']]).toEqual([401, 'unauthorized']);
  });

  it('refuses broken JSON even if the handler reads no body', async () => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;
    expect((await app.call('/things/bodiless', { ...options, body: '{"size":' })).status).toBe(400);
    expect((await app.call('/things/bodiless', { ...options, body: '{}' })).status).toBe(200);
  });

  it('treats an empty body as an empty object', async () => {
    expect((await app.post('')).status).toBe(422);
  });

  it('treats an empty body as an empty object, even if it has a type that is not JSON', async () => {
    for (const contentType of ['text/plain; charset=utf-8', 'application/x-www-form-urlencoded']) {
      expect((await app.post('', contentType)).status).toBe(422);
    }
  });

  it('answers 404, not 415, when nothing is served at the path', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await app.call('/nothing', { method: 'POST', body: 'x', headers })).status).toBe(404);
  });

  it('answers 413 for a body above the limit, and 415 for a body that is not JSON [errors.payload-too-large]', async () => {
    const large = await app.post(JSON.stringify({ size: 'x'.repeat(1_000) }));
    expect([large.status, large.json()['code']]).toEqual([413, 'payload_too_large']);
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const other = await app.post('size=1', contentType);
      expect([other.status, other.json()['code']]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('answers 415 for a compressed body', async () => {
    const body = gzipSync('{"size":3,"inner":{"zip":"1"}}');
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await app.call('/things', { method: 'POST', body, headers });
    expect([answer.status, answer.json()['code']]).toEqual([415, 'unsupported_media_type']);
    const plain = { ...headers, 'content-encoding': 'identity' };
    const accepted = await app.call('/things', {
      method: 'POST',
      body: '{"size":3,"inner":{"zip":"1"}}',
      headers: plain,
    });
    expect(accepted.status).toBe(201);
  });

  /** Sends raw bytes, and reads until the app closes the connection. */
  const exchange = async (text: string) => {
    const socket = connect(Number(new URL(app.running.url).port), '127.0.0.1');
    // A connection that the app leaves open must not block the test.
    socket.setTimeout(2_000, () => socket.destroy());
    socket.write(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    await once(socket, 'close');
    const [headers = '', body = ''] = answer.replaceAll('\r\n', '\n').split('\n\n');
    const problem = (body.startsWith('{') ? JSON.parse(body) : {}) as { requestId?: string };
    return { status: Number(headers.split(' ')[1]), headers, problem };
  };

  it.each([
    ['two Host headers', 'GET /things/1 HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400, 'malformed_request'],
    ['no Host header', 'GET /things/1 HTTP/1.1\r\naccept: */*\r\n\r\n', 400, 'malformed_request'],
    ['no valid HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['a broken header', 'GET /things/1 HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'malformed_request'],
    ['a long parameter', `GET /things/${'a'.repeat(600)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'uri_too_long'],
    ['a query of 20 kB', `GET /things?a=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'uri_too_long'],
    [
      '20 kB of headers',
      `GET /things HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['%zz in a path', 'GET /things/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'malformed_request'],
  ])('answers a request with %s as problem+json with a request id', async (_, text, status, code) => {
    const answer = await exchange(text);
    expect(answer).toMatchObject({ status, problem: { status, code, requestId: expect.any(String) } });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toContain(`x-request-id: ${answer.problem.requestId}`);
  });

  it('ignores an unknown Expect header', async () => {
    const answer = await exchange('GET /things/1 HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatch(/^x-content-type-options: nosniff$/im);
  });

  it.each(['TRACE', 'QUERY', 'PROPFIND'])('answers %s with 405 and Allow, with and without a body', async (method) => {
    for (const body of ['', 'content-type: text/plain\r\ncontent-length: 2\r\n']) {
      const answer = await exchange(`${method} /things/1 HTTP/1.1\r\nhost: x\r\n${body}\r\n${body ? 'ab' : ''}`);
      expect(answer).toMatchObject({ status: 405, problem: { code: 'method_not_allowed' } });
      expect(answer.headers).toMatch(/^allow: GET, HEAD, PUT$/im);
    }
    expect(await exchange(`${method} /nothing HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatchObject({ status: 404 });
  });
});
