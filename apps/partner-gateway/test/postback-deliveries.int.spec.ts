import { ServicePublicKeys, verifyServiceToken } from '@tandem/auth';
import {
  CountPostbackReplay,
  ListPostbackDeliveries,
  PostbackDeliveryPage,
  PostbackReplayCount,
  PostbackTestResult,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  RotatedSigningSecret,
} from '@tandem/internal-api';
import { eventually } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PartnerGatewayConfig } from '../src/config';
import { Gateway, SERVICE_KEYS, type TestPartner } from './gateway';

const PATH = '/api/v2/partner/postback';
const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';

const PAGE = {
  items: [
    {
      id: ID,
      kind: 'sale',
      oid: 'sub-1',
      refId: 'order-1',
      status: 'failed',
      createdAt: TIME,
      deliveredAt: null,
      nextAttemptAt: null,
      error: null,
      attempts: [{ number: 1, at: TIME, status: null, latencyMs: 15000, error: 'timeout (waiting)', response: null }],
    },
  ],
  nextCursor: 'AAAA',
  hasMore: true,
};
const REPLAYED = { id: ID };
const COUNT = { count: 3 };
const TESTED = { delivered: true, status: 200, latencyMs: 12, error: null, response: 'ok' };
const SECRET = { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const RANGE = { from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00+01:00' };

const RANGE_QUERY = new URLSearchParams(RANGE).toString();

const fits = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

// The answers of the stand-in must follow the contract between partner-gateway and postback-dispatcher.
it.each<[string, new () => object, unknown]>([
  ['a page', PostbackDeliveryPage, PAGE],
  ['a replay', ReplayedPostbackDelivery, REPLAYED],
  ['the number of deliveries to replay', PostbackReplayCount, COUNT],
  ['the number of replayed deliveries', ReplayedPostbackDeliveries, COUNT],
  ['the result of a test send', PostbackTestResult, TESTED],
  ['a new secret', RotatedSigningSecret, SECRET],
])('the stand-in for postback-dispatcher answers with %s that follows the contract', (_name, type, data) => {
  expect(fits(type, data)).toBe(true);
});

describe('the postback routes of the partner API', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start({ POSTBACK_DISPATCHER_TIMEOUT_MS: '1000', POSTBACK_TEST_TIMEOUT_MS: '1500' });
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const asked = () => gateway.dispatcher.requests.at(-1);
  const countAsked = () => gateway.dispatcher.requests.length;

  describe.each<[string, string, string, string, unknown, number, object]>([
    ['GET', '/deliveries', '/deliveries', 'postback:read', undefined, 200, PAGE],
    ['POST', `/deliveries/${ID}/replay`, `/deliveries/${ID}/replay`, 'postback:write', undefined, 202, REPLAYED],
    ['POST', '/deliveries/replay', '/deliveries/replay', 'postback:write', RANGE, 202, COUNT],
    [
      'GET',
      `/deliveries/replay?${RANGE_QUERY}`,
      `/deliveries/replay?${RANGE_QUERY}`,
      'postback:read',
      undefined,
      200,
      COUNT,
    ],
    ['POST', '/test', '/test', 'postback:write', undefined, 200, TESTED],
    ['POST', '/signing-secret', '/signing-secret', 'postback:write', undefined, 200, SECRET],
  ])('%s /partner/postback%s', (method, path, internal, scope, body, status, answer) => {
    const call = (token?: string) => gateway.request(method, PATH + path, { token, body });

    it('answers 401 to a request without a token, without a call to postback-dispatcher', async () => {
      const before = countAsked();
      expect(await call()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(countAsked()).toBe(before);
    });

    it('answers 403 permission_denied to a token without the scope of the route', async () => {
      const scopes = ['postback:read', 'postback:write', 'checkout:create'].filter((one) => one !== scope);
      const token = await gateway.issueToken(partner.id, { scopes });
      expect(await call(token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    });

    it('answers 403 integration_kind_mismatch to voucher partners', async () => {
      const voucher = await gateway.createPartner({ kind: 'voucher' });
      const token = await gateway.issueForeignToken(voucher.id, [scope]);
      expect(await call(token)).toMatchObject({ status: 403, body: { code: 'integration_kind_mismatch' } });
    });

    it(`relays postback-dispatcher's answer with the status ${status} and no-store`, async () => {
      gateway.dispatcher.answer(status, answer);
      const { headers, ...answered } = await call(partner.token);
      expect(answered).toEqual({ status, body: answer });
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('relays a request for the token’s partner and environment, with a service token [postback.rotate, deliveries.list]', async () => {
      gateway.dispatcher.answer(status, answer);
      for (const [token, environment] of [
        [partner.token, 'live'],
        [partner.testToken, 'test'],
      ] as const) {
        const { headers } = await call(token);
        const { method: used, url, headers: sent } = asked() ?? { headers: {} as Record<string, string> };
        expect([used, url]).toEqual([
          method,
          `/internal/postback-configurations/${partner.id}/${environment}${internal}`,
        ]);
        expect(sent['x-request-id']).toBe(headers.get('x-request-id'));
        expect(JSON.stringify(sent)).not.toContain(token);
        const verified = await verifyServiceToken({
          publicKeys: new ServicePublicKeys(SERVICE_KEYS.publicKeysOf()),
          token: (sent.authorization ?? '').replace('Bearer ', ''),
          audience: 'postback-dispatcher',
          now: new Date(),
        });
        expect(verified).toEqual({ from: 'partner-gateway' });
      }
    });

    it('relays the error 404 postback_not_configured of postback-dispatcher', async () => {
      gateway.dispatcher.answer(404, { code: 'postback_not_configured' });
      expect(await call(partner.token)).toMatchObject({ status: 404, body: { code: 'postback_not_configured' } });
    });

    it.each<[string, () => void]>([
      ['hangs', () => gateway.dispatcher.hang()],
      ['closes the connection', () => gateway.dispatcher.breakOff()],
      ['fails', () => gateway.dispatcher.answer(500, { code: 'internal', detail: 'secret detail' })],
      ['answers 503 itself', () => gateway.dispatcher.answer(503, { code: 'service_unavailable' })],
      ['refuses the service token', () => gateway.dispatcher.answer(401, { code: 'unauthorized' })],
      ['does not know the path', () => gateway.dispatcher.answer(404, { code: 'not_found' })],
    ])('answers 503 when postback-dispatcher %s', async (_title, prepare) => {
      prepare();
      const refused = await call(partner.token);
      expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(refused.body)).not.toContain('secret detail');
    });

    it('answers 405 to another method', async () => {
      const other = await gateway.request('DELETE', PATH + path, { token: partner.token });
      expect(other).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
      expect(other.headers.get('allow')).toContain(method);
    });
  });

  describe('GET /partner/postback/deliveries', () => {
    const list = (query: string) => gateway.request('GET', `${PATH}/deliveries?${query}`, { token: partner.token });
    const question = () => Object.fromEntries(new URL(`http://x${asked()?.url}`).searchParams);

    it('relays cursor, status, failing, oid, refId and limit [deliveries.list]', async () => {
      gateway.dispatcher.answer(200, PAGE);
      await list('');
      expect(question()).toEqual({});
      await list('cursor=x%2By&status=held&limit=500');
      expect(question()).toEqual({ cursor: 'x+y', status: 'held', limit: '500' });
      expect(fits(ListPostbackDeliveries, question())).toBe(true);
      await list('oid=sub-1&refId=order%201');
      expect(question()).toEqual({ oid: 'sub-1', refId: 'order 1' });
      expect(fits(ListPostbackDeliveries, question())).toBe(true);
      await list('failing=true');
      expect(question()).toEqual({ failing: 'true' });
      expect(fits(ListPostbackDeliveries, question())).toBe(true);
      await list('cursor=');
      expect(question()).toEqual({ cursor: '' });
    });

    it.each([
      ['status=sent', 'status'],
      ['status=', 'status'],
      ['status=HELD', 'status'],
      ['status=held&status=failed', 'status'],
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=', 'limit'],
      ['cursor=a&cursor=b', 'cursor'],
      ['failing=yes', 'failing'],
      ['oid=', 'oid'],
      ['refId=a%00', 'refId'],
      ['staus=held', 'staus'],
      ['ref_id=order-1', 'ref_id'],
    ])(
      'answers 422 to ?%s, without a call to postback-dispatcher [deliveries.unknown-status]',
      async (query, field) => {
        const before = countAsked();
        expect(await list(query)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field }] },
        });
        expect(countAsked()).toBe(before);
      },
    );

    it('relays postback-dispatcher’s error about the limit', async () => {
      const errors = [{ field: 'limit', message: 'limit must be at most 500' }];
      gateway.dispatcher.answer(422, { code: 'validation_failed', errors });
      expect(await list('limit=501')).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
    });

    it('relays the error 400 invalid_cursor, and gives the same answer to a cursor of 10 kB without a call', async () => {
      gateway.dispatcher.answer(400, { code: 'invalid_cursor' });
      expect(await list('cursor=b')).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
      const before = countAsked();
      expect(await list(`cursor=${'a'.repeat(10_240)}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
      expect(countAsked()).toBe(before);
    });
  });

  describe('POST /partner/postback/deliveries/{id}/replay', () => {
    const replay = (id: string) =>
      gateway.request('POST', `${PATH}/deliveries/${encodeURIComponent(id)}/replay`, { token: partner.token });

    it('answers 404 not_found when postback-dispatcher answers 404 delivery_not_found', async () => {
      gateway.dispatcher.answer(404, { code: 'delivery_not_found' });
      expect(await replay(ID)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    });

    it.each(['x', '../x', ID.toUpperCase(), `${ID}0`, '%00'])(
      'answers 404 not_found to the id %p, without a call to postback-dispatcher',
      async (id) => {
        const before = countAsked();
        expect(await replay(id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
        expect(countAsked()).toBe(before);
      },
    );

    it('relays the error 409 postback_disabled of postback-dispatcher', async () => {
      gateway.dispatcher.answer(409, { code: 'postback_disabled' });
      expect(await replay(ID)).toMatchObject({ status: 409, body: { code: 'postback_disabled' } });
    });
  });

  describe('POST /partner/postback/deliveries/replay', () => {
    const replay = (body?: unknown) =>
      gateway.request('POST', `${PATH}/deliveries/replay`, { token: partner.token, body });

    it('relays the given fields, and drops unknown fields', async () => {
      gateway.dispatcher.answer(202, COUNT);
      await replay({ ...RANGE, status: 'held', partnerId: 'other', limit: 5 });
      expect(asked()?.body).toEqual({ ...RANGE, status: 'held' });
      expect(fits(ReplayPostbackDeliveries, asked()?.body)).toBe(true);
    });

    it('answers 422 to an invalid body, without a call to postback-dispatcher', async () => {
      const before = countAsked();
      for (const body of [{ from: 7, to: null }, undefined]) {
        expect(await replay(body)).toMatchObject({
          status: 422,
          body: {
            code: 'validation_failed',
            errors: [
              { field: 'from', message: 'from must be an ISO 8601 date and time with an offset' },
              { field: 'to', message: 'to must be an ISO 8601 date and time with an offset' },
            ],
          },
        });
      }
      expect(countAsked()).toBe(before);
    });

    it('relays postback-dispatcher’s errors about fields', async () => {
      const errors = [{ field: 'to', message: 'to must be later than from' }];
      gateway.dispatcher.answer(422, { code: 'validation_failed', errors });
      expect(await replay(RANGE)).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
    });

    it('relays the error 409 postback_disabled of postback-dispatcher', async () => {
      gateway.dispatcher.answer(409, { code: 'postback_disabled' });
      expect(await replay(RANGE)).toMatchObject({ status: 409, body: { code: 'postback_disabled' } });
    });

    it.each(['{', '[]', '1'])('answers 400 to the body %s, without a call to postback-dispatcher', async (text) => {
      const before = countAsked();
      expect(await replay(text)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
      expect(countAsked()).toBe(before);
    });
  });

  describe('GET /partner/postback/deliveries/replay', () => {
    const count = (query: string) =>
      gateway.request('GET', `${PATH}/deliveries/replay?${query}`, { token: partner.token });

    it('relays from, to and status [deliveries.count-replay]', async () => {
      gateway.dispatcher.answer(200, COUNT);
      for (const range of [RANGE, { ...RANGE, status: 'held' }, { ...RANGE, status: 'all' }]) {
        await count(new URLSearchParams(range).toString());
        const question = Object.fromEntries(new URL(`http://x${asked()?.url}`).searchParams);
        expect(question).toEqual(range);
        expect(fits(CountPostbackReplay, question)).toBe(true);
        expect(asked()?.method).toBe('GET');
      }
    });

    it.each([
      ['', ['from', 'to']],
      [`${RANGE_QUERY}&status=sent`, ['status']],
      [`${RANGE_QUERY}&status=`, ['status']],
      [`${RANGE_QUERY}&limit=5`, ['limit']],
      ['from=2026-01-05&to=2026-01-06', ['from', 'to']],
    ])('answers 422 to ?%s, without a call to postback-dispatcher', async (query, fields) => {
      const before = countAsked();
      expect(await count(query)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: fields.map((field) => ({ field })) },
      });
      expect(countAsked()).toBe(before);
    });

    it('relays postback-dispatcher’s errors about fields', async () => {
      const errors = [{ field: 'to', message: 'to must be earlier: there are more than 5 deliveries to send' }];
      gateway.dispatcher.answer(422, { code: 'validation_failed', errors });
      expect(await count(RANGE_QUERY)).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
    });

    it('answers 503 while postback-dispatcher is an older version, which answers 405 and sends nothing', async () => {
      gateway.dispatcher.answer(405, { code: 'method_not_allowed' });
      expect(await count(RANGE_QUERY)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    });
  });

  describe('POST /partner/postback/test', () => {
    it('does not delay other requests while partners’ endpoints are slow [deliveries.test]', async () => {
      gateway.dispatcher.hang();
      const before = countAsked();
      const tests = Array.from({ length: 40 }, () => gateway.request('POST', `${PATH}/test`, { token: partner.token }));
      // Most other calls, such as the list of deliveries, share 32 connections. If test sends used these connections, 40 test sends would
      // occupy all of them.
      await eventually(() => expect(countAsked()).toBe(before + 40));
      gateway.dispatcher.answer(200, PAGE);
      const meanwhile = await gateway.request('GET', `${PATH}/deliveries`, { token: partner.token });
      expect(meanwhile.status).toBe(200);
      for (const { status } of await Promise.all(tests)) expect(status).toBe(503);
    });
  });
});

it('the default timeout of a test send is longer than the default timeout of an attempt', () => {
  expect(new PartnerGatewayConfig().POSTBACK_TEST_TIMEOUT_MS).toBeGreaterThan(15_000);
});
