import { ScriptedPlatform } from '../../../sdks/typescript/testing/scripted-platform';
import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type CallOptions,
  ConnectionFailedError,
  type RequestInfo,
  type ResponseInfo,
  Tandem,
  type TandemOptions,
} from '../src';

const ACCOUNT = { id: 'ptn_1' };
const TOKEN = 'ptk_test_secret-token';
const client = (options: Partial<TandemOptions>): Tandem =>
  new Tandem({ token: TOKEN, baseUrl: 'https://api.example.com', ...options });

describe('a call', () => {
  it('ends with the reason of its signal when the signal aborts during the wait before a retry', async () => {
    const platform = new ScriptedPlatform([{ status: 503, headers: { 'retry-after': '30' }, json: {} }]);
    const controller = new AbortController();
    const reason = new Error('the customer left');
    const onResponse = (): void => void setTimeout(() => controller.abort(reason), 20);
    const call = client({ fetch: platform.fetch, onResponse }).account.get({ signal: controller.signal });
    await expect(call).rejects.toBe(reason);
    expect(platform.requests.length).toBe(1);
  });

  it('ends when its signal aborts before an answer comes, and is not repeated', async () => {
    const platform = new ScriptedPlatform([{ fails: 'silence' }]);
    const signal = AbortSignal.timeout(30);
    await expect(client({ fetch: platform.fetch }).account.get({ signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(platform.requests.length).toBe(1);
  });

  it('sends nothing when its signal is already aborted', async () => {
    const platform = new ScriptedPlatform([]);
    await expect(client({ fetch: platform.fetch }).account.get({ signal: AbortSignal.abort() })).rejects.toThrow(
      'aborted',
    );
    expect(platform.requests).toEqual([]);
  });

  it('reports each attempt to the hooks, without the token', async () => {
    const platform = new ScriptedPlatform([
      { fails: 'reset' },
      { status: 200, headers: { 'x-request-id': 'req-1' }, json: ACCOUNT },
    ]);
    const seen: (RequestInfo | ResponseInfo)[] = [];
    const tandem = client({
      fetch: platform.fetch,
      onRequest: (request) => seen.push(request),
      onResponse: (response) => seen.push(response),
    });
    await tandem.account.get({ requestId: 'order-1' });
    const request = { method: 'GET', url: 'https://api.example.com/api/v2/partner/account' };
    const durationMs = expect.any(Number);
    expect(seen).toEqual([
      { ...request, attempt: 1 },
      { ...request, attempt: 1, durationMs, error: expect.any(ConnectionFailedError) },
      { ...request, attempt: 2 },
      { ...request, attempt: 2, durationMs, status: 200, requestId: 'req-1' },
    ]);
    expect(JSON.stringify(seen)).not.toContain(TOKEN);
    expect(platform.requests.map(({ headers }) => headers.get('x-request-id'))).toEqual(['order-1', 'order-1']);
  });

  it('uses the client’s limit where the call’s own limit is undefined', async () => {
    const refused = { fails: 'refused' } as const;
    const platform = new ScriptedPlatform([refused, refused, { status: 200, json: ACCOUNT }]);
    const tandem = client({ fetch: platform.fetch, maxRetries: 0 });
    await expect(tandem.account.get({ maxRetries: undefined })).rejects.toThrow(ConnectionFailedError);
    expect(await tandem.account.get({ maxRetries: 1 })).toEqual(ACCOUNT);
  });

  it.each<CallOptions>([{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { deadlineMs: -1 }, { maxRetries: 0.5 }])(
    'refuses the limits %j, and sends nothing',
    async (options) => {
      const platform = new ScriptedPlatform([]);
      await expect(client({ fetch: platform.fetch }).account.get(options)).rejects.toThrow(TypeError);
      expect(platform.requests).toEqual([]);
    },
  );

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e-9])(
    'sets a timer of 1 ms to 2 ** 31 - 1 ms for a timeout of %d ms',
    async (timeoutMs) => {
      const timers = jest.spyOn(globalThis, 'setTimeout');
      const platform = new ScriptedPlatform([{ status: 200, json: ACCOUNT }]);
      await client({ fetch: platform.fetch, timeoutMs, deadlineMs: Number.POSITIVE_INFINITY }).account.get();
      const used = timers.mock.calls.map(([, milliseconds]) => milliseconds);
      timers.mockRestore();
      expect(used).toEqual([timeoutMs < 1 ? 1 : 2 ** 31 - 1]);
    },
  );

  it.each([null, '', 'ü', 'a b', 'x'.repeat(256)])('refuses the idempotency key %j', async (key) => {
    const platform = new ScriptedPlatform([]);
    const order = { idempotencyKey: key as string };
    await expect(client({ fetch: platform.fetch }).vouchers.create('vgr_1', order)).rejects.toThrow(TypeError);
    expect(platform.requests).toEqual([]);
  });

  it('sends a Date as an ISO 8601 text', async () => {
    const page = { status: 200, json: { items: [], nextCursor: null, hasMore: false } };
    const platform = new ScriptedPlatform([page, { status: 202, json: { count: 1 } }]);
    const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
    const tandem = client({ fetch: platform.fetch });
    for await (const sale of tandem.sales.list({ from })) throw new Error(sale.oid);
    await tandem.deliveries.replayRange({ from, to });
    expect(platform.requests.map(({ url, json }) => json ?? url.search)).toEqual([
      '?from=2026-03-01T00%3A00%3A00.000Z',
      { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' },
    ]);
  });

  it('reads no second page before the first page is used up', async () => {
    const page = { items: [{ oid: 'sub_1' }], nextCursor: 'c', hasMore: true };
    const platform = new ScriptedPlatform([{ status: 200, json: page }]);
    for await (const { oid } of client({ fetch: platform.fetch }).sales.list()) {
      expect(oid).toBe('sub_1');
      break;
    }
    expect(platform.requests.length).toBe(1);
  });
});

describe('with the fetch of Node', () => {
  let server: Server;
  let baseUrl: string;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests++;
      if (request.method === 'POST') return void request.socket.destroy();
      if (requests === 1) {
        // The answer breaks off in the middle.
        response.writeHead(200, { 'content-length': '100' }).write('{"id":');
        return void setTimeout(() => request.socket.destroy(), 20);
      }
      response.end(JSON.stringify(ACCOUNT));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('a GET whose answer broke off is repeated', async () => {
    expect(await client({ baseUrl }).account.get()).toEqual(ACCOUNT);
    expect(requests).toBe(2);
  });

  it('a POST whose connection broke is not repeated', async () => {
    requests = 0;
    await expect(client({ baseUrl }).postback.test()).rejects.toMatchObject({ maybeReceived: true });
    expect(requests).toBe(1);
  });

  it.each([
    ['a port where nothing listens', async () => `http://127.0.0.1:${await freePort()}`],
    ['a host without an address', async () => 'http://tandem.invalid'],
  ])('a POST to %s is repeated, because nothing was sent', async (_name, url) => {
    const attempts: number[] = [];
    const tandem = client({ baseUrl: await url(), maxRetries: 1, onRequest: ({ attempt }) => attempts.push(attempt) });
    await expect(tandem.postback.test()).rejects.toMatchObject({ maybeReceived: false });
    expect(attempts).toEqual([1, 2]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('new Tandem', () => {
  it('does not show the token when the client is logged', () => {
    const tandem = client({});
    expect(`${inspect(tandem, { depth: 9, showHidden: true })}${JSON.stringify(tandem)}`).not.toContain(TOKEN);
  });

  it.each<[string, Partial<TandemOptions>]>([
    ['an empty token', { token: '' }],
    ['a token with a line break', { token: 'ptk_test_x\n' }],
    ['a token that is not set', { token: undefined as unknown as string }],
    ['a base URL without a scheme', { baseUrl: 'api.example.com' }],
    ['a base URL with a path', { baseUrl: 'https://api.example.com/api/v2' }],
    ['a base URL with a control character', { baseUrl: 'https://api.example.com\u001b[2J' }],
    ['a base URL with a password', { baseUrl: 'https://user:secret@api.example.com' }],
    ['a timeout of 0 ms', { timeoutMs: 0 }],
    ['a deadline that is not a number', { deadlineMs: Number.NaN }],
    ['a fraction of a retry', { maxRetries: 1.5 }],
  ])('refuses %s', (_name, options) => {
    expect(() => client(options)).toThrow(TypeError);
  });
});
