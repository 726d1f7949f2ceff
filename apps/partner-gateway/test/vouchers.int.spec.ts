import { ServicePublicKeys, verifyServiceToken } from '@tandem/auth';
import { CouponPage, CreatedCoupons, ListCoupons, VoucherGroupList } from '@tandem/internal-api';
import { SERVICE_KEYS } from './gateway';
import { CREATED, fits, GROUP_ID, GROUP_LIST, GROUPS, PAGE, VoucherEndpoints, VOUCHERS } from './voucher-endpoints';

// The answers of the stand-in must follow the contract between partner-gateway and voucher-service.
it.each<[string, new () => object, unknown]>([
  ['a list of groups', VoucherGroupList, GROUP_LIST],
  ['a page', CouponPage, PAGE],
  ['the answer to a creation', CreatedCoupons, CREATED],
])(
  'the stand-in for voucher-service answers with %s that follows the contract [vouchers.group, vouchers.coupon]',
  (_name, type, data) => {
    expect(fits(type, data)).toBe(true);
  },
);

describe('the voucher endpoints of the partner API', () => {
  let endpoints: VoucherEndpoints;
  beforeAll(async () => {
    endpoints = await VoucherEndpoints.start();
  });
  afterAll(() => endpoints.stop());

  describe.each<[string, string, string, unknown]>([
    ['GET', GROUPS, 'vouchers:read', undefined],
    ['GET', `${VOUCHERS}?voucherGroupId=${GROUP_ID}`, 'vouchers:read', undefined],
    ['POST', VOUCHERS, 'vouchers:create', { voucherGroupId: GROUP_ID }],
  ])('%s %s', (method, path, scope, body) => {
    const call = (credential?: string) => endpoints.gateway.request(method, path, { token: credential, body });

    it('answers 401 to a request without a token, without a call to voucher-service', async () => {
      const before = endpoints.countAsked;
      expect(await call()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(endpoints.countAsked).toBe(before);
    });

    it('answers 403 permission_denied to a token without the scope of the endpoint', async () => {
      const scopes = ['vouchers:read', 'vouchers:create'].filter((one) => one !== scope);
      expect(await call(await endpoints.voucherToken({ scopes }))).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
    });

    it('answers 403 integration_kind_mismatch to promotion partners [interface.kinds-reverse, errors.integration-kind-mismatch-reverse]', async () => {
      const promotion = await endpoints.gateway.createPartner();
      const credential = await endpoints.gateway.issueForeignToken(promotion.id, [scope]);
      expect(await call(credential)).toMatchObject({ status: 403, body: { code: 'integration_kind_mismatch' } });
    });

    it('relays the status and body of voucher-service with no-store [interface.voucher-group, interface.vouchers-list, interface.vouchers-create, vouchers.group, vouchers.coupon, vouchers.page, vouchers.create]', async () => {
      const [status, answer] = method === 'POST' ? [201, CREATED] : [200, path === GROUPS ? GROUP_LIST : PAGE];
      endpoints.gateway.vouchers.answer(status, answer);
      const { headers, ...answered } = await call(endpoints.token);
      expect(answered).toEqual({ status, body: answer });
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('calls voucher-service for the token’s partner and environment, with a service token [vouchers.test-data]', async () => {
      endpoints.gateway.vouchers.answer(method === 'POST' ? 201 : 200, {});
      for (const [credential, environment] of [
        [endpoints.token, 'live'],
        [endpoints.testToken, 'test'],
      ] as const) {
        const { headers } = await call(credential);
        expect(endpoints.asked?.url).toMatch(new RegExp(`^/internal/partners/${endpoints.partner.id}/${environment}/`));
        expect(endpoints.asked?.headers['x-request-id']).toBe(headers.get('x-request-id'));
        expect(JSON.stringify(endpoints.asked?.headers)).not.toContain(credential);
      }
      const verified = await verifyServiceToken({
        publicKeys: new ServicePublicKeys(SERVICE_KEYS.publicKeysOf()),
        token: (endpoints.asked?.headers.authorization ?? '').replace('Bearer ', ''),
        audience: 'voucher-service',
        now: new Date(),
      });
      expect(verified).toEqual({ from: 'partner-gateway' });
    });

    it('sends voucher-service a time limit of 80 % of VOUCHER_SERVICE_TIMEOUT_MS', async () => {
      endpoints.gateway.vouchers.answer(method === 'POST' ? 201 : 200, {});
      await call(endpoints.token);
      expect(endpoints.asked?.headers['x-request-timeout-ms']).toBe('1600');
    });

    it.each<[string, () => void]>([
      ['hangs', () => endpoints.gateway.vouchers.hang()],
      ['closes the connection', () => endpoints.gateway.vouchers.breakOff()],
      ['fails', () => endpoints.gateway.vouchers.answer(500, { code: 'internal', detail: 'secret detail' })],
      ['answers 503 itself', () => endpoints.gateway.vouchers.answer(503, { code: 'service_unavailable' })],
      ['refuses the service token', () => endpoints.gateway.vouchers.answer(401, { code: 'unauthorized' })],
      ['does not know the path', () => endpoints.gateway.vouchers.answer(404, { code: 'not_found' })],
    ])('answers 503 when voucher-service %s', async (_title, prepare) => {
      prepare();
      const answer = await call(endpoints.token);
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(answer.body)).not.toContain('secret detail');
    });
  });

  it.each([`${GROUPS}?status=inactive`, `${VOUCHERS}?voucherGroupId=${GROUP_ID}&staus=active`])(
    'answers 422 to an unknown parameter, without a call to voucher-service: %s [errors.validation-failed]',
    async (path) => {
      const before = endpoints.countAsked;
      const { status, body } = await endpoints.gateway.request('GET', path, { token: endpoints.token });
      const field = path.includes('staus') ? 'staus' : 'status';
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
      expect(endpoints.countAsked).toBe(before);
    },
  );

  describe('GET /partner/subscription/vouchers', () => {
    const list = (query: string) =>
      endpoints.gateway.request('GET', `${VOUCHERS}?${query}`, { token: endpoints.token });
    const question = () => Object.fromEntries(new URL(`http://x${endpoints.asked?.url}`).searchParams);

    it('relays group, cursor, status and limit [interface.vouchers-list, vouchers.next-page]', async () => {
      endpoints.gateway.vouchers.answer(200, PAGE);
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
    ])(
      'answers 422 to ?%s, without a call to voucher-service [vouchers.status-filter, vouchers.limit]',
      async (query, field) => {
        const before = endpoints.countAsked;
        expect(await list(query)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field }] },
        });
        expect(endpoints.countAsked).toBe(before);
      },
    );

    it('relays voucher-service’s error about the limit [vouchers.limit]', async () => {
      const errors = [{ field: 'limit', message: 'limit must be at most 500' }];
      endpoints.gateway.vouchers.answer(422, { code: 'validation_failed', errors });
      expect(await list('voucherGroupId=a&limit=501')).toMatchObject({ status: 422, body: { errors } });
    });

    it.each([
      [400, 'invalid_cursor'],
      [404, 'voucher_group_not_found'],
    ])(
      'relays the error %i %s of voucher-service [vouchers.cursor, errors.voucher-group-not-found]',
      async (status, code) => {
        endpoints.gateway.vouchers.answer(status, { code });
        expect(await list('voucherGroupId=a&cursor=b')).toMatchObject({ status, body: { code } });
      },
    );

    it('refuses a cursor and a group id of 3,400 characters, without a call to voucher-service [vouchers.cursor]', async () => {
      const before = endpoints.countAsked;
      const long = '%25'.repeat(3_400);
      expect(await list(`voucherGroupId=a&cursor=${long}`)).toMatchObject({ body: { code: 'invalid_cursor' } });
      expect(await list(`voucherGroupId=${long}`)).toMatchObject({ body: { code: 'voucher_group_not_found' } });
      expect(endpoints.countAsked).toBe(before);
    });
  });
});
