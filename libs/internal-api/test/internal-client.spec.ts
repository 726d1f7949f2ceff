import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseServicePrivateKey, ServicePublicKeys, verifyServiceToken } from '@tandem/auth';
import { ServiceUnavailableError, ValidationFailedError } from '@tandem/http-api';
import { eventually, TestServiceKeys } from '@tandem/testing';
import { InternalClient, VOUCHER_ERRORS, VoucherGroupNotFoundError } from '../src';

const keys = new TestServiceKeys('caller');
const credentials = { SERVICE_PRIVATE_KEY: parseServicePrivateKey(keys.privateKeyOf('caller')) };
const publicKeys = new ServicePublicKeys(keys.publicKeysOf());
const CALL = { method: 'GET', path: '/internal/things', requestId: 'req-1' } as const;
const AWAY = 'Things cannot be reached now; try again.';

describe('a call to another app', () => {
  let answer: RequestListener;
  let server: Server;
  let client: InternalClient;
  /** A client with a short timeout. */
  let hasty: InternalClient;
  const optionsFor = (url: string) => ({
    from: 'caller',
    to: 'owner',
    url,
    credentials,
    errors: VOUCHER_ERRORS,
    unavailable: AWAY,
    timeoutMs: 30_000,
  });

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const options = optionsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client = new InternalClient(options);
    hasty = new InternalClient({ ...options, timeoutMs: 300 });
  });
  afterAll(async () => {
    await client.close();
    await hasty.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const answers =
    (status: number, body: unknown): RequestListener =>
    (_request, response) =>
      void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

  it('carries a service token for the called app, the request id, a time limit, the query and the body', async () => {
    let seen: Record<string, unknown> = {};
    answer = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      seen = { ...request.headers, url: request.url, body };
      response.writeHead(201, { 'x-more': 'yes' }).end('{"id":1}');
    };
    const body = { count: 5 };
    const query = { limit: '3', cursor: undefined };
    const result = await client.call([200, 201], { ...CALL, method: 'POST', query, body });
    expect(result).toMatchObject({ status: 201, text: '{"id":1}', headers: { 'x-more': 'yes' } });
    expect(result.json()).toEqual({ id: 1 });
    expect(seen).toMatchObject({ url: '/internal/things?limit=3', body: '{"count":5}', 'x-request-id': 'req-1' });
    expect(Number(seen['x-request-timeout-ms'])).toBe(29_000);
    const token = String(seen['authorization']).slice('Bearer '.length);
    expect(await verifyServiceToken({ publicKeys, token, audience: 'owner', now: new Date() })).toEqual({
      from: 'caller',
    });
  });

  it('carries the trace of its request', async () => {
    const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
    let seen: unknown;
    answer = (request, response) => {
      seen = request.headers['traceparent'];
      response.writeHead(200).end('{}');
    };
    await context.with(trace.setSpanContext(ROOT_CONTEXT, span), () => client.call([200], CALL));
    expect(seen).toBe(`00-${span.traceId}-${span.spanId}-01`);
  });

  it('closes its idle connections, even if the called app would keep them for 72 s', async () => {
    server.keepAliveTimeout = 72_000;
    answer = answers(200, {});
    const open = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    await client.call([200], CALL);
    expect(await open()).not.toBe(0);
    await eventually(async () => expect(await open()).toBe(0));
  });

  it('throws the error that the contract has for the status and code', async () => {
    answer = answers(404, { code: 'voucher_group_not_found' });
    await expect(client.call([200], CALL)).rejects.toThrow(VoucherGroupNotFoundError);
  });

  it('throws a ValidationFailedError with the fields that the called app refused', async () => {
    answer = answers(422, { code: 'validation_failed', errors: [{ field: 'count', message: 'must be a number' }, 7] });
    const failure = client.call([200], CALL);
    await expect(failure).rejects.toThrow(ValidationFailedError);
    await expect(failure).rejects.toMatchObject({ fields: [{ field: 'count', message: 'must be a number' }] });
  });

  it.each([
    ['a status that is not in the contract', answers(418, {})],
    ['the code of another status', answers(409, { code: 'voucher_group_not_found' })],
    ['a 503 of the called app', answers(503, { code: 'service_unavailable' })],
    ['a page of a proxy', answers(502, '<html>')],
    ['no answer in time', () => undefined],
    ['half an answer', (_request, response) => void response.writeHead(200, { 'content-length': 9 }).write('{')],
    ['a broken connection', (request) => void request.socket.destroy()],
  ] as [string, RequestListener][])('fails with a 503 for %s', async (_name, listener) => {
    answer = listener;
    const failure = hasty.call([200], CALL);
    await expect(failure).rejects.toThrow(ServiceUnavailableError);
    await expect(failure).rejects.toThrow(AWAY);
  });

  it('fails with a 503 when the body of a success is not JSON', async () => {
    answer = answers(200, '<html>');
    await expect(client.json(200, CALL)).rejects.toThrow(ServiceUnavailableError);
  });

  it('fails with a 503 when the connection is refused', async () => {
    const nobody = new InternalClient(optionsFor('http://127.0.0.1:1'));
    await expect(nobody.call([200], CALL)).rejects.toThrow(AWAY);
    await nobody.close();
  });
});
