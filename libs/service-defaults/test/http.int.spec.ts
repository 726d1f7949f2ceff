import { eventually } from '@tandem/testing';
import { connect } from 'node:net';
import { request } from 'undici';
import { PLAIN_FORMAT } from '@tandem/http-api';
import { bootstrap } from '../src';
import { SAMPLE_APP, SAMPLE_ENV, SampleApp } from './fixture/sample-app';

describe('an app with the service defaults', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await SampleApp.start();
  });
  afterAll(() => app.running.close());

  it('answers a mapped error as problem+json with its code, headers and the request id [errors.problem-json]', async () => {
    const answer = await app.call('/things/teapot?secret=1', { headers: { 'x-request-id': 'req-1' } });
    expect(answer.status).toBe(418);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['x-pot']).toBe('tea');
    expect(answer.headers['x-request-id']).toBe('req-1');
    expect(answer.json()).toEqual({
      type: 'urn:tandem:problem:teapot',
      title: "I'm a Teapot",
      status: 418,
      detail: 'short and stout',
      instance: '/things/teapot',
      code: 'teapot',
      requestId: 'req-1',
    });
  });

  it('answers an unexpected error with 500, and reveals nothing about its cause [errors.internal]', async () => {
    const answer = await app.call('/things/bug');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal' });
    expect(answer.text).not.toMatch(/select|ssn/);
  });

  it('answers a ServiceUnavailableError with 503 and its Retry-After', async () => {
    const away = await app.call('/things/away');
    expect([away.status, away.headers['retry-after'], away.json()['code']]).toEqual([503, '7', 'service_unavailable']);
  });

  it.each(['outage', 'timeout', 'deadlock'])('answers 503 with Retry-After for a %s of its database', async (kind) => {
    const answer = await app.call(`/things/${kind}`);
    expect([answer.status, answer.headers['retry-after'], answer.json()['code']]).toEqual([
      503,
      '5',
      'service_unavailable',
    ]);
    expect(answer.text).not.toMatch(/127\.0\.0\.1|"x/);
  });

  it('answers 500 when a server other than its database refuses a connection', async () => {
    expect((await app.call('/things/vendor')).status).toBe(500);
  });

  it('logs request.refused with 499, and no error, when a client disconnects in the middle of a body', async () => {
    const lines: object[] = [];
    const write = (line: object): void => void lines.push(line);
    app.running.nest.useLogger({ log: write, warn: write, error: write });
    const { port } = new URL(app.running.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"size"',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.resetAndDestroy();
    await eventually(() =>
      expect(lines).toEqual([{ msg: 'request.refused', status: 499, code: 'client_closed_request' }]),
    );
  });

  it('generates a request id when the given id could corrupt a log', async () => {
    const answer = await app.call('/things/1', { headers: { 'x-request-id': 'a b"c' } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names every invalid field, and a nested field with its path [errors.fields]', async () => {
    const answer = await app.post('{"size":0,"inner":{}}');
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'size' }, { field: 'inner.zip' }],
    });
  });

  it('names the first rule that a value breaks: a text is reported as not an integer, not as out of range', async () => {
    const answer = await app.post('{"size":"5","inner":{"zip":5}}');
    expect(answer.json()['errors']).toEqual([
      { field: 'size', message: 'size must be an integer number' },
      { field: 'inner.zip', message: 'zip must be a string' },
    ]);
  });

  it('passes instances of the DTO classes to handlers', async () => {
    const answer = await app.post('{"size":3,"inner":{"zip":"1"}}');
    expect([answer.status, answer.json()]).toEqual([201, { size: 3, isDto: true }]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'prototype'])(
    'ignores an unknown field named %s at any level',
    async (name) => {
      const foreign = { [name]: { [name]: 1 } };
      const inner = { zip: '1', ...foreign, unknown: [foreign] };
      const answer = await app.post(JSON.stringify({ size: 3, inner, unknown: { deep: foreign }, ...foreign }));
      expect([answer.status, answer.json()]).toEqual([201, { size: 3, isDto: true }]);
      const list = await app.call(`/things?name=n&${name}=1&${name}[${name}]=1`);
      expect([list.status, list.json()['name']]).toEqual([200, 'n']);
    },
  );

  it('distinguishes a wrong method (405 with Allow) from an unknown path (404) [errors.not-found, errors.method-not-allowed]', async () => {
    const wrong = await app.call('/things/1', { method: 'DELETE' });
    expect([wrong.status, wrong.json()['code'], wrong.headers['allow']]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, PUT',
    ]);
    const unknown = await app.call('/nothing', { method: 'DELETE' });
    expect([unknown.status, unknown.json()['code']]).toEqual([404, 'not_found']);
  });

  it('answers an undecodable path in its own error format', async () => {
    const answer = await app.call('/things/%zz', { headers: { 'x-request-id': 'req-2' } });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([400, 'req-2']);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('answers 414 when an id in the path is too long, and does not repeat the id in the detail', async () => {
    const answer = await app.call(`/things/${'a'.repeat(600)}`);
    expect([answer.status, answer.json()['detail']]).toEqual([414, 'The path is too long.']);
  });

  it('serves health endpoints, metrics and its OpenAPI document', async () => {
    expect((await app.call('/livez')).status).toBe(200);
    expect((await app.call('/readyz')).status).toBe(200);
    expect((await app.call('/metrics')).text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/things/:id",status="418"}',
    );
    const docs = await app.call('/docs/openapi.json');
    expect(Object.keys(docs.json()['paths'] as object)).toContain('/things/{id}');
  });

  it('closes while a client holds an idle keep-alive connection', async () => {
    const other = await bootstrap({ ...SAMPLE_APP, errorFormat: PLAIN_FORMAT }, SAMPLE_ENV);
    const answer = await request(`${other.url}/nothing`);
    expect(await answer.body.json()).toEqual({ error: 'There is nothing at this path.' });
    await other.close();
    await expect(request(`${other.url}/livez`)).rejects.toThrow('ECONNREFUSED');
  });
});
