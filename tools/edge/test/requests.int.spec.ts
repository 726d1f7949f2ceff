import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { EdgeUnderTest } from './edge-under-test';

describe('the edge', () => {
  const edge = new EdgeUnderTest();

  it.each([
    ['an incomplete percent code', '/admin/%', 400, 'malformed_request'],
    ['%zz in a path', '/admin/%zz', 400, 'malformed_request'],
    ['%zz in an unknown path', '/%zz', 400, 'malformed_request'],
    ['a query of 20 kB', `/admin/partners?cursor=${'a'.repeat(20_000)}`, 414, 'uri_too_long'],
  ])('answers %s as problem+json, with the request id in body and header', async (_, path, status, code) => {
    const answer = await edge.exchange(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
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
    ['text that is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
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
    const before = edge.gateway.seen.length;
    const answer = await edge.exchange(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect(answer).toMatchObject({ status, problem: { status, code, requestId: expect.any(String) } });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toContain(`x-request-id: ${answer.problem.requestId}`);
    expect(edge.gateway.seen.length).toBe(before);
  });

  const IDP = 'GET /idp/array/users/me HTTP/1.1\r\n';
  it.each([
    ['an unknown path', 'GET /idp/nope HTTP/1.1\r\nhost: x\r\n\r\n', 404],
    ['%zz of discovery', 'GET /ids2/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['%zz', 'GET /idp/array/users/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a query of 20 kB', `GET /idp/array/users/me?x=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414],
    ['two Host headers', `${IDP}host: x\r\nhost: y\r\n\r\n`, 400],
    ['a broken header', `${IDP}host: x\r\nbad header\r\n\r\n`, 400],
    ['headers of 20 kB', `${IDP}host: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT /idp/array/users HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ])('answers %s below /idp and /ids2 in the form of these APIs', async (_, text, status) => {
    const answer = await edge.exchange(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect(answer).toMatchObject({ status, problem: { error: expect.any(String) } });
    expect(Object.keys(answer.problem)).toEqual(['error']);
    expect(answer.headers).toMatch(/^content-type: application\/json/im);
    expect(answer.headers).toMatch(/^x-request-id: [0-9a-f-]{36}/im);
  });

  it.each(['TRACE', 'QUERY', 'PROPFIND', 'OPTIONS'])(
    'forwards %s, so that the app can answer with the allowed methods',
    async (method) => {
      const answer = await edge.exchange(`${method} /admin/partners HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(answer.status).toBe(200);
      expect(edge.gateway.last()).toMatchObject({ method, url: '/admin/partners' });
    },
  );

  it('closes the connection when the client requests it, whatever the app’s Connection header says', async () => {
    const answer = await edge.exchange('GET /admin/partners HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(answer.headers).toMatch(/^connection: close$/im);
    expect(answer.headers).not.toMatch(/keep-alive/i);
  });

  it('accepts a client that sends Expect before its body', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { expect: '100-continue', 'content-length': '2', 'content-type': 'application/json' };
      const { port } = new URL(edge.url);
      const options = { port, host: '127.0.0.1', method: 'POST', path: '/idp/payments/webhook', headers };
      const sending = httpRequest(options, (response) => resolve(response.statusCode)).on('error', reject);
      sending.on('continue', () => sending.end('{}'));
    });
    expect(status).toBe(200);
    expect(edge.ingest.last().headers).not.toHaveProperty('expect');
  });

  it.each([
    ['/idp/payments/webhook', /\r\n\r\n\{"error":"/],
    ['/admin/partners', /\r\n\r\n\{"type":"urn:tandem:problem:malformed_request".*"instance":"\/admin\/partners"/],
  ])('answers an incomplete body with 400, in the form of its path: %s', async (path, body) => {
    const socket = connect({ port: Number(new URL(edge.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    socket.end(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`);
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(body);
  });

  it('answers a GET that has a body', async () => {
    const answer = await new Promise((resolve) => {
      const { port } = new URL(edge.url);
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('GET /admin/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'),
      );
      socket.once('data', (data) => resolve(data.toString().split('\r\n')[0]));
    });
    expect(answer).toBe('HTTP/1.1 200 OK');
  });
});
