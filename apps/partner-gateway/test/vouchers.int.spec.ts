import { verifyServiceToken } from '@tandem/auth';
import { CouponPage, CreateCoupons, CreatedCoupons, ListCoupons, VoucherGroupList } from '@tandem/internal-api';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Gateway, type TestPartner } from './gateway';

const GROUPS = '/api/v2/partner/subscription/voucher-group';
const VOUCHERS = '/api/v2/partner/subscription/vouchers';
const GROUP_ID = '5b0e6a0e-6f0a-4a52-9d7d-0a4f2f6c8f11';
const TIME = '2026-01-05T09:30:00.000Z';

const COUPON = {
  id: '0e7d4c1a-93a5-4f0e-b8f4-51c5a7a3d901',
  code: 'ABCD-EFGH-JKLM-NPQ9',
  voucherGroupId: GROUP_ID,
  status: 'active',
  batchId: 'c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d2',
  createdAt: TIME,
  expiresAt: null,
  redeemedAt: null,
};
const GROUP_LIST = {
  items: [
    {
      id: GROUP_ID,
      name: 'Advanced, 1 year',
      status: 'active',
      product: { name: 'Advanced', tier: 'advanced', periodMonths: 12 },
      currency: 'USD',
      issued: 5,
      redeemed: 1,
      remaining: null,
      validFrom: TIME,
      validUntil: null,
      createdAt: TIME,
    },
  ],
};
const PAGE = { items: [COUPON], nextCursor: 'AAAA', hasMore: true };
const CREATED = { batchId: COUPON.batchId, requestedCount: 1, count: 1, items: [COUPON] };

const fits = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

/** What both sides have agreed on is what the stand-in says. */
it.each<[string, new () => object, unknown]>([
  ['a list of groups', VoucherGroupList, GROUP_LIST],
  ['a page', CouponPage, PAGE],
  ['a creation', CreatedCoupons, CREATED],
])('voucher-service answers with %s of the contract [vouchers.group, vouchers.coupon]', (_name, type, data) => {
  expect(fits(type, data)).toBe(true);
});

describe('voucher endpoints', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let token: string;
  let testToken: string;

  const voucherToken = (options: { environment?: string; scopes?: string[] } = {}) =>
    gateway.issueToken(partner.id, { scopes: ['vouchers:read', 'vouchers:create'], ...options });
  const get = (path: string, credential: string | undefined = token) =>
    gateway.request('GET', path, { token: credential });
  const create = (
    body: unknown,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ) => gateway.request('POST', VOUCHERS + query, { token, body, headers });
  const asked = () => gateway.vouchers.requests.at(-1);
  const countAsked = () => gateway.vouchers.requests.length;

  beforeAll(async () => {
    gateway = await Gateway.start({ VOUCHER_SERVICE_TIMEOUT_MS: '2000' });
    partner = await gateway.createPartner({ kind: 'voucher' });
    token = await voucherToken();
    testToken = await voucherToken({ environment: 'test' });
  });
  afterAll(() => gateway.stop());

  describe.each<[string, string, string, unknown]>([
    ['GET', GROUPS, 'vouchers:read', undefined],
    ['GET', `${VOUCHERS}?voucherGroupId=${GROUP_ID}`, 'vouchers:read', undefined],
    ['POST', VOUCHERS, 'vouchers:create', { voucherGroupId: GROUP_ID }],
  ])('%s %s', (method, path, scope, body) => {
    const call = (credential?: string) => gateway.request(method, path, { token: credential, body });

    it('answers 401 without a token, without asking', async () => {
      const before = countAsked();
      expect(await call()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(countAsked()).toBe(before);
    });

    it('answers 403 permission_denied without its scope', async () => {
      const scopes = ['vouchers:read', 'vouchers:create'].filter((one) => one !== scope);
      expect(await call(await voucherToken({ scopes }))).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
    });

    it('answers 403 integration_kind_mismatch to promotion partners [interface.kinds-reverse, errors.integration-kind-mismatch-reverse]', async () => {
      const promotion = await gateway.createPartner();
      const credential = await gateway.issueForeignToken(promotion.id, [scope]);
      expect(await call(credential)).toMatchObject({ status: 403, body: { code: 'integration_kind_mismatch' } });
    });

    it('answers what the partner API says, to be kept by nobody [interface.voucher-group, interface.vouchers-list, interface.vouchers-create, vouchers.group, vouchers.coupon, vouchers.page, vouchers.create]', async () => {
      const [status, answer] = method === 'POST' ? [201, CREATED] : [200, path === GROUPS ? GROUP_LIST : PAGE];
      gateway.vouchers.answer(status, answer);
      const { headers, ...answered } = await call(token);
      expect(answered).toEqual({ status, body: answer });
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('asks for the partner and the environment of the token, by a service token [vouchers.test-data]', async () => {
      gateway.vouchers.answer(method === 'POST' ? 201 : 200, {});
      for (const [credential, environment] of [
        [token, 'live'],
        [testToken, 'test'],
      ] as const) {
        const { headers } = await call(credential);
        expect(asked()?.url).toMatch(new RegExp(`^/internal/partners/${partner.id}/${environment}/`));
        expect(asked()?.headers['x-request-id']).toBe(headers.get('x-request-id'));
        expect(JSON.stringify(asked()?.headers)).not.toContain(credential);
      }
      const verified = await verifyServiceToken({
        secrets: [gateway.env['INTERNAL_TOKEN_SECRETS'] as string],
        token: (asked()?.headers.authorization ?? '').replace('Bearer ', ''),
        audience: 'voucher-service',
        now: new Date(),
      });
      expect(verified).toEqual({ from: 'partner-gateway' });
    });

    it('tells voucher-service how long it waits, less a grace for the answer', async () => {
      gateway.vouchers.answer(method === 'POST' ? 201 : 200, {});
      await call(token);
      expect(asked()?.headers['x-request-timeout-ms']).toBe('1600');
    });

    it.each<[string, () => void]>([
      ['hangs', () => gateway.vouchers.hang()],
      ['breaks off', () => gateway.vouchers.breakOff()],
      ['fails', () => gateway.vouchers.answer(500, { code: 'internal', detail: 'secret detail' })],
      ['is away itself', () => gateway.vouchers.answer(503, { code: 'service_unavailable' })],
      ['refuses our service token', () => gateway.vouchers.answer(401, { code: 'unauthorized' })],
      ['does not know the path', () => gateway.vouchers.answer(404, { code: 'not_found' })],
    ])('answers 503 when voucher-service %s', async (_title, prepare) => {
      prepare();
      const answer = await call(token);
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(answer.body)).not.toContain('secret detail');
    });
  });

  describe('GET /partner/subscription/vouchers', () => {
    const list = (query: string) => get(`${VOUCHERS}?${query}`);
    const question = () => Object.fromEntries(new URL(`http://x${asked()?.url}`).searchParams);

    it('passes group, cursor, status and limit on [interface.vouchers-list, vouchers.next-page]', async () => {
      gateway.vouchers.answer(200, PAGE);
      await list(`voucherGroupId=${GROUP_ID}`);
      expect(question()).toEqual({ voucherGroupId: GROUP_ID });
      expect(fits(ListCoupons, question())).toBe(true);
      await list(`voucherGroupId=a%20%2F..%26b&cursor=x%2By&status=redeemed&limit=500`);
      expect(question()).toEqual({ voucherGroupId: 'a /..&b', cursor: 'x+y', status: 'redeemed', limit: '500' });
      await list(`voucherGroupId=${GROUP_ID}&cursor=`);
      expect(question()).toEqual({ voucherGroupId: GROUP_ID, cursor: '' });
    });

    it.each([
      ['', 'voucherGroupId'],
      ['voucherGroupId=', 'voucherGroupId'],
      ['voucherGroupId=a&voucherGroupId=b', 'voucherGroupId'],
      ['voucherGroupId=a&status=sold', 'status'],
      ['voucherGroupId=a&status=', 'status'],
      ['voucherGroupId=a&status=ACTIVE', 'status'],
      ['voucherGroupId=a&limit=0', 'limit'],
      ['voucherGroupId=a&limit=-1', 'limit'],
      ['voucherGroupId=a&limit=1.5', 'limit'],
      ['voucherGroupId=a&limit=ten', 'limit'],
      ['voucherGroupId=a&limit=', 'limit'],
      ['voucherGroupId=a&limit=5&limit=6', 'limit'],
    ])('answers 422 to ?%s, without asking [vouchers.status-filter, vouchers.limit]', async (query, field) => {
      const before = countAsked();
      expect(await list(query)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
      expect(countAsked()).toBe(before);
    });

    it('relays the limit that voucher-service refuses [vouchers.limit]', async () => {
      const errors = [{ field: 'limit', message: 'limit must be at most 500' }];
      gateway.vouchers.answer(422, { code: 'validation_failed', errors });
      expect(await list('voucherGroupId=a&limit=501')).toMatchObject({ status: 422, body: { errors } });
    });

    it.each([
      [400, 'invalid_cursor'],
      [404, 'voucher_group_not_found'],
    ])(
      'answers %i %s as voucher-service does [vouchers.cursor, errors.voucher-group-not-found]',
      async (status, code) => {
        gateway.vouchers.answer(status, { code });
        expect(await list('voucherGroupId=a&cursor=b')).toMatchObject({ status, body: { code } });
      },
    );

    it('answers 400 to a cursor of 10 kB, and 404 to such a group, without asking [vouchers.cursor]', async () => {
      const before = countAsked();
      const long = '%25'.repeat(3_400);
      expect(await list(`voucherGroupId=a&cursor=${long}`)).toMatchObject({ body: { code: 'invalid_cursor' } });
      expect(await list(`voucherGroupId=${long}`)).toMatchObject({ body: { code: 'voucher_group_not_found' } });
      expect(countAsked()).toBe(before);
    });
  });

  describe('POST /partner/subscription/vouchers', () => {
    const wish = () => asked()?.body as Record<string, unknown>;

    it.each<[string, unknown, string, object]>([
      ['the body', { voucherGroupId: GROUP_ID, count: 20 }, '', { voucherGroupId: GROUP_ID, requestedCount: 20 }],
      [
        'the query',
        undefined,
        `?voucherGroupId=${GROUP_ID}&count=20`,
        { voucherGroupId: GROUP_ID, requestedCount: 20 },
      ],
      ['both', { voucherGroupId: GROUP_ID }, '?count=501', { voucherGroupId: GROUP_ID, requestedCount: 501 }],
      ['no count', { voucherGroupId: GROUP_ID }, '', { voucherGroupId: GROUP_ID, requestedCount: null }],
      ['a count of null', { voucherGroupId: GROUP_ID, count: null }, '', { requestedCount: null }],
      ['a count of 1e9', { voucherGroupId: GROUP_ID, count: 1e9 }, '', { requestedCount: 1e9 }],
    ])(
      'takes %s [interface.vouchers-create, vouchers.create, vouchers.create-query, vouchers.count-default, vouchers.count-above-500]',
      async (_name, body, query, expected) => {
        gateway.vouchers.answer(201, CREATED);
        expect((await create(body, { query })).status).toBe(201);
        expect(wish()).toMatchObject(expected);
        expect(fits(CreateCoupons, wish())).toBe(true);
      },
    );

    it.each([
      '{"count":0}',
      '{"count":-1}',
      '{"count":1.5}',
      '{"count":"20"}',
      '{"count":"abc"}',
      '{"count":true}',
      '{"count":[]}',
      '{"count":{}}',
      '{"count":1e999}',
      '{"count":21}',
    ])(
      'answers 422 to %s beside ?count=20, without asking [vouchers.create-query, vouchers.count-invalid]',
      async (body) => {
        const before = countAsked();
        const query = `?voucherGroupId=${GROUP_ID}&count=20`;
        expect(await create(body, { query })).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field: 'count' }] },
        });
        expect(countAsked()).toBe(before);
      },
    );

    it.each(['{', '[]', '1', 'null'])('answers 400 to the body %s', async (body) => {
      expect(await create(body)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    });

    it('answers 422 without a group', async () => {
      expect(await create({ count: 1 })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'voucherGroupId' }] },
      });
    });

    it('names the token, so that one creation runs for each [vouchers.one-at-a-time]', async () => {
      gateway.vouchers.answer(201, CREATED);
      await create({ voucherGroupId: GROUP_ID });
      const first = wish()['tokenId'];
      await create({ voucherGroupId: GROUP_ID });
      expect(wish()['tokenId']).toBe(first);
      await gateway.request('POST', VOUCHERS, { token: await voucherToken(), body: { voucherGroupId: GROUP_ID } });
      expect(wish()['tokenId']).not.toBe(first);
    });

    it('passes the Idempotency-Key on, and says when an answer is an earlier one [vouchers.idempotency-replay]', async () => {
      gateway.vouchers.answer(201, CREATED);
      const first = await create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': 'k 1' } });
      expect(wish()).toMatchObject({ idempotencyKey: 'k 1' });
      expect(first.headers.has('idempotency-replayed')).toBe(false);
      gateway.vouchers.answer(201, CREATED, { 'Idempotency-Replayed': 'true' });
      const again = await create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': 'k 1' } });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });

    it.each(['', ' ', 'k'.repeat(256)])(
      'answers 422 to the Idempotency-Key %p [vouchers.idempotency-life, vouchers.idempotency-empty]',
      async (key) => {
        const before = countAsked();
        expect(await create({ voucherGroupId: GROUP_ID }, { headers: { 'idempotency-key': key } })).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field: 'Idempotency-Key' }] },
        });
        expect(countAsked()).toBe(before);
      },
    );

    it.each<[number, string, string | null]>([
      [404, 'voucher_group_not_found', null],
      [409, 'creation_in_progress', '1'],
      [409, 'idempotency_in_progress', '1'],
      [409, 'insufficient_stock', null],
      [422, 'idempotency_key_reused', null],
    ])(
      'answers %i %s as voucher-service does [errors.voucher-group-not-found, errors.creation-in-progress, errors.insufficient-stock, errors.idempotency-in-progress, errors.idempotency-key-reused]',
      async (status, code, retryAfter) => {
        gateway.vouchers.answer(status, { code, detail: 'a detail' });
        const answer = await create({ voucherGroupId: GROUP_ID });
        expect(answer).toMatchObject({ status, body: { code, status } });
        expect(answer.headers.get('retry-after')).toBe(retryAfter);
        expect(answer.headers.get('content-type')).toContain('application/problem+json');
      },
    );

    it('answers 405 to other methods, and says which there are', async () => {
      const answer = await gateway.request('DELETE', VOUCHERS, { token });
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
      expect(answer.headers.get('allow')).toContain('POST');
    });
  });
});
