import { CouponPage, CreatedCoupons } from '@tandem/internal-api';
import { TestServiceKeys, uniqueId } from '@tandem/testing';
import { CouponCodes } from '../src/coupon/coupon-code';
import { type Coupon, fits, serviceToken, type TestGroup, Vouchers } from './vouchers';

describe('POST /internal/partners/{id}/{environment}/coupons', () => {
  let vouchers: Vouchers;
  let group: TestGroup;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    group = await vouchers.createGroup();
  });

  describe('when it accepts a request', () => {
    it('creates a batch of coupons, counts them in the group and publishes one event [interface.vouchers-create, vouchers.create]', async () => {
      const { status, body } = await vouchers.create(group, { count: 3 });
      expect(status).toBe(201);
      expect(fits(CreatedCoupons, body)).toBe(true);
      expect(body).toMatchObject({ requestedCount: 3, count: 3 });
      expect(await vouchers.group(group.id)).toMatchObject({ issued: 3, redeemed: 0 });
      expect(await vouchers.published('coupon.created', group.id)).toEqual([
        {
          voucherGroupId: group.id,
          batchId: body.batchId,
          partnerId: group.partnerId,
          environment: 'live',
          couponIds: body.items.map(({ id }: Coupon) => id),
          createdAt: body.items[0].createdAt,
        },
      ]);
    });

    it('creates coupons that have the same fields in the answer as in the list of the group [vouchers.coupon]', async () => {
      const { body } = await vouchers.create(group, { count: 20 });
      const page = await vouchers.list(group);
      expect(fits(CouponPage, page.body)).toBe(true);
      expect(page.body.items).toEqual(body.items);
    });

    it('creates distinct codes of 16 symbols, which are shown with hyphens and stored without hyphens [vouchers.code-form, vouchers.code-random]', async () => {
      const { body } = await vouchers.create(group, { count: 500 });
      const codes = (body.items as Coupon[]).map(({ code }) => code);
      expect(new Set(codes).size).toBe(500);
      for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/);
      const rows = await vouchers.database.query<{ code: string }>(
        `select code from voucher.coupon where group_id = $1`,
        [group.id],
      );
      expect(rows.map(({ code }) => code).sort()).toEqual(codes.map((code) => code.replaceAll('-', '')).sort());
    });

    it('publishes an event that contains no code', async () => {
      const { body } = await vouchers.create(group);
      const [event] = await vouchers.published('coupon.created', group.id);
      for (const { code } of body.items as Coupon[]) {
        expect(JSON.stringify(event)).not.toContain(code);
        expect(JSON.stringify(event)).not.toContain(code.replaceAll('-', ''));
      }
    });

    it('creates coupons that expire when their group ends [vouchers.coupon]', async () => {
      const validUntil = '2099-01-01T00:00:00.000Z';
      const ending = await vouchers.createGroup({ validUntil });
      const { body } = await vouchers.create(ending, { count: 1 });
      expect(body.items[0]).toMatchObject({ status: 'active', expiresAt: validUntil, redeemedAt: null });
      expect(await vouchers.published('coupon.created', ending.id)).toMatchObject([{ expiresAt: validUntil }]);
    });

    it.each<[number | null, number]>([
      [null, 10],
      [1, 1],
      [10, 10],
      [500, 500],
      [501, 10],
      [1e9, 10],
      [1e300, 10],
    ])(
      'with the requested count %p, creates %p coupons [vouchers.count-default, vouchers.count-above-500, vouchers.requested-count]',
      async (requested, count) => {
        const { status, body } = await vouchers.create(group, { count: requested });
        expect({ status, requestedCount: body.requestedCount, count: body.count, items: body.items.length }).toEqual({
          status: 201,
          requestedCount: requested,
          count,
          items: count,
        });
        expect(await vouchers.counts(group.id)).toEqual({ coupons: count, batches: 1, issued: count, events: 1 });
      },
    );

    it('creates a coupon with another code when the drawn code is already in use [vouchers.code-random]', async () => {
      const { body } = await vouchers.create(group, { count: 1 });
      const taken = (body.items[0] as Coupon).code.replaceAll('-', '');
      const draw = jest.spyOn(vouchers.running.nest.get(CouponCodes), 'draw').mockReturnValueOnce([taken]);
      const again = await vouchers.create(group, { count: 1 });
      draw.mockRestore();
      expect(again.status).toBe(201);
      expect(again.body.items[0].code).not.toBe(body.items[0].code);
      expect(await vouchers.counts(group.id)).toEqual({ coupons: 2, batches: 2, issued: 2, events: 2 });
    });
  });

  describe('when it refuses a request', () => {
    afterEach(async () => {
      expect(await vouchers.counts(group.id)).toEqual({ coupons: 0, batches: 0, issued: 0, events: 0 });
    });

    it.each<[string, () => Promise<string> | null]>([
      ['a request without a token', () => null],
      ['a request with a token for another app', () => serviceToken('postback-dispatcher')],
      [
        'a request with a token that is signed with another key',
        () => serviceToken('voucher-service', new TestServiceKeys('partner-gateway')),
      ],
    ])('answers 401 and creates nothing for %s', async (_name, token) => {
      const path = `/internal/partners/${group.partnerId}/live/coupons`;
      const body = { voucherGroupId: group.id, requestedCount: 1, tokenId: 'tok' };
      expect(await vouchers.request('POST', path, body, token())).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      });
    });

    it.each([0, -1, 1.5, '20', 'abc', true, [], {}])(
      'answers 422 and creates nothing for the requested count %p [vouchers.count-invalid]',
      async (count) => {
        expect(await vouchers.create(group, { count })).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field: 'requestedCount' }] },
        });
      },
    );

    it.each(['', 'x'.repeat(256)])('answers 422 and creates nothing for the idempotency key %p', async (key) => {
      expect(await vouchers.create(group, { key })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'idempotencyKey' }] },
      });
    });

    it.each<[string, () => TestGroup | Promise<TestGroup>]>([
      ['an unknown group', () => ({ ...group, id: '00000000-0000-4000-8000-000000000000' })],
      ['a group with a malformed id', () => ({ ...group, id: 'x' })],
      ["another partner's group", () => ({ ...group, partnerId: uniqueId('ptn') })],
      ['a live group in the test environment', () => ({ ...group, environment: 'test' })],
      ['an inactive group', () => vouchers.createGroup({ status: 'inactive' })],
      ['an expired group', () => vouchers.createGroup({ validUntil: '2026-01-02T00:00:00.000Z' })],
    ])(
      'answers 404 and creates nothing in %s [vouchers.test-data, errors.voucher-group-not-found]',
      async (_name, choose) => {
        const chosen = await choose();
        expect(await vouchers.create(chosen)).toMatchObject({ status: 404, body: { code: 'voucher_group_not_found' } });
      },
    );
  });

  describe('in a group with a stock', () => {
    it('creates coupons up to the stock, but not one more [vouchers.all-or-nothing, vouchers.stock, errors.insufficient-stock]', async () => {
      const small = await vouchers.createGroup({ stock: 5 });
      expect(await vouchers.create(small, { count: 6 })).toMatchObject({
        status: 409,
        body: { code: 'insufficient_stock' },
      });
      expect(await vouchers.counts(small.id)).toEqual({ coupons: 0, batches: 0, issued: 0, events: 0 });
      expect((await vouchers.create(small, { count: 5 })).status).toBe(201);
      expect(await vouchers.create(small, { count: 1 })).toMatchObject({ status: 409 });
      expect(await vouchers.counts(small.id)).toEqual({ coupons: 5, batches: 1, issued: 5, events: 1 });
    });

    it('creates no more coupons than the stock when many tokens create coupons concurrently on two replicas [vouchers.stock]', async () => {
      const replica = await Vouchers.start({}, vouchers.database);
      try {
        const small = await vouchers.createGroup({ stock: 1000 });
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => (index % 2 ? vouchers : replica).create(small, { count: 100 })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
        const refused = answers.filter(({ status }) => status === 409);
        expect(refused.every(({ body }) => body.code === 'insufficient_stock')).toBe(true);
        expect(await vouchers.counts(small.id)).toEqual({ coupons: 1000, batches: 10, issued: 1000, events: 10 });
      } finally {
        await replica.stop();
      }
    });
  });
});
