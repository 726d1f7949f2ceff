import { type Coupon, purchase, type TestGroup, Vouchers } from './vouchers';

describe('coupons whose code has no stored hash', () => {
  let vouchers: Vouchers;
  let group: TestGroup;
  let coupons: Coupon[];

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    group = await vouchers.createGroup();
    coupons = (await vouchers.create(group, { count: 30 })).body.items as Coupon[];
  });

  const forgetHashes = () =>
    vouchers.database.query('update voucher.coupon set code_hash = null where group_id = $1', [group.id]);
  const withoutHash = async (): Promise<number> =>
    (await vouchers.database.query('select 1 from voucher.coupon where code_hash is null')).length;

  it('get their hashes when the app starts, and can then be redeemed', async () => {
    await forgetHashes();
    await vouchers.database.query(
      `insert into voucher.coupon (group_id, id, batch_id, code, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), translate(lpad(n::text, 16, '0'), '01', 'AB'), now()
         from generate_series(1, 5000) n`,
      [group.id],
    );
    const replica = await Vouchers.start({}, vouchers.database);
    expect(await withoutHash()).toBe(0);
    await replica.receive(purchase(coupons[0]?.code));
    expect(await vouchers.group(group.id)).toMatchObject({ redeemed: 1 });
    await replica.stop();
  });
});
