import { figuresPath, figuresRecountPath, VoucherFigures } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { fits, purchase, redemption, type TestGroup, Vouchers } from './vouchers';

const DAY_MS = 86_400_000;

describe('statistics of coupons', () => {
  let vouchers: Vouchers;
  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());

  const RANGE = {
    from: new Date(Date.now() - DAY_MS).toISOString(),
    to: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const ask = (query: Record<string, string>) =>
    vouchers.request('GET', `${figuresPath()}?${new URLSearchParams({ environment: 'live', ...query })}`);
  const figures = async (partnerId: string, more: Record<string, string> = {}): Promise<unknown> => {
    const { status, body } = await ask({ partnerId, ...RANGE, ...more });
    expect({ status, body, fits: fits(VoucherFigures, body) }).toMatchObject({ status: 200, fits: true });
    return body;
  };
  const recount = (partnerId: string | null) => vouchers.request('POST', figuresRecountPath(), { partnerId });
  const codesOf = async (group: TestGroup, count: number): Promise<string[]> =>
    ((await vouchers.create(group, { count })).body.items as { code: string }[]).map(({ code }) => code);
  const stored = () =>
    vouchers.database.query(
      `select partner_id, environment, bucket, sum(created) as created, sum(redeemed) as redeemed
       from voucher.coupon_statistic group by 1, 2, 3 having (sum(created), sum(redeemed)) <> (0, 0) order by 1, 2, 3`,
    );

  it('count created coupons at the time of creation, and redeemed coupons at the time of redemption [statistics.vouchers]', async () => {
    const group = await vouchers.createGroup();
    const [first = '', second = ''] = await codesOf(group, 5);
    await vouchers.receive(purchase(first), redemption(second, '2026-02-01T10:14:59.999Z'));
    expect(await figures(group.partnerId)).toEqual({ created: 5, redeemed: 1 });
    const february = { from: '2026-02-01T00:00:00Z', to: '2026-02-01T10:15:00Z' };
    expect(await figures(group.partnerId, february)).toEqual({ created: 0, redeemed: 1 });
  });

  it('do not count refused or repeated creations, and count each redemption once [statistics.vouchers]', async () => {
    const group = await vouchers.createGroup({ stock: 3 });
    const tokenId = uniqueId('tok');
    await vouchers.create(group, { count: 3, tokenId, key: 'k' });
    await vouchers.create(group, { count: 3, tokenId, key: 'k' });
    expect((await vouchers.create(group, { count: 1 })).status).toBe(409);
    const [coupon] = await vouchers.listAll(group);
    await vouchers.receive(purchase(coupon?.code), purchase(coupon?.code));
    expect(await figures(group.partnerId)).toEqual({ created: 3, redeemed: 1 });
  });

  it('are zero in another environment and for another partner', async () => {
    const group = await vouchers.createGroup();
    await codesOf(group, 2);
    expect(await figures(group.partnerId, { environment: 'test' })).toEqual({ created: 0, redeemed: 0 });
    expect(await figures(uniqueId('ptn'))).toEqual({ created: 0, redeemed: 0 });
  });

  it('are refused with invalid fields, and without a service token', async () => {
    expect(await ask({ ...RANGE, to: 'never' })).toMatchObject({ status: 422, body: { errors: [{ field: 'to' }] } });
    expect((await vouchers.request('GET', figuresPath(), undefined, null)).status).toBe(401);
    expect((await vouchers.request('POST', figuresRecountPath(), { partnerId: null }, null)).status).toBe(401);
  });

  describe('a recount', () => {
    it('finds no difference after batches of creations and redemptions [statistics.recount]', async () => {
      const groups = [
        await vouchers.createGroup(),
        await vouchers.createGroup({ environment: 'test' }),
        await vouchers.createGroup(),
      ];
      const codes: string[] = [];
      for (let round = 1; round <= 8; round++) {
        const made = await Promise.all(groups.map((group) => codesOf(group, round)));
        codes.push(...made.flat());
        const batch = codes.filter((_, index) => (index * 7 + round) % 5 === 0);
        const paid = batch.map((code, index) =>
          index % 2 === 0 ? purchase(code) : redemption(code, new Date(1.77e12 + round * index * 1e7).toISOString()),
        );
        await vouchers.receiveBatch(...paid);
      }
      for (const { partnerId } of groups) {
        expect(await recount(partnerId)).toMatchObject({ status: 200, body: { corrected: 0, since: null } });
      }
      expect(await recount(null)).toMatchObject({ status: 200, body: { corrected: 0 } });
    });

    it('adds missing counts and corrects wrong counts [statistics.recount]', async () => {
      const group = await vouchers.createGroup();
      const [code = ''] = await codesOf(group, 4);
      await vouchers.receive(redemption(code, '2026-02-03T10:00:00Z'));
      const before = await stored();
      await vouchers.database.query(`delete from voucher.coupon_statistic where partner_id = $1 and redeemed > 0`, [
        group.partnerId,
      ]);
      await vouchers.database.query(
        `update voucher.coupon_statistic set created = created + 1 where partner_id in ($1, '*')`,
        [group.partnerId],
      );
      expect((await recount(group.partnerId)).body).toMatchObject({ corrected: 2 });
      expect((await recount(null)).body.corrected).toBeGreaterThan(0);
      expect(await stored()).toEqual(before);
      expect((await recount(group.partnerId)).body).toMatchObject({ corrected: 0 });
    });
  });
});
