import { uniqueId } from '@tandem/testing';
import { type Coupon, purchase, type TestGroup, Vouchers } from './vouchers';

describe('an idempotency key', () => {
  let vouchers: Vouchers;
  let group: TestGroup;
  let tokenId: string;
  let key: string;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    group = await vouchers.createGroup();
    tokenId = uniqueId('tok');
    key = uniqueId('key');
  });

  it('gives a repeated request the first answer, byte for byte, without creating anything [vouchers.idempotency-replay]', async () => {
    const first = await vouchers.create(group, { tokenId, key, count: 30 });
    const again = await vouchers.create(group, { tokenId, key, count: 30 });
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 30, batches: 1, issued: 30, events: 1 });
  });

  it('gives a repeated request the first answer even if the coupon was redeemed, the stock is used up and the group is inactive [vouchers.idempotency-replay]', async () => {
    const small = await vouchers.createGroup({ stock: 2 });
    const first = await vouchers.create(small, { tokenId, key, count: 2 });
    await vouchers.receive(purchase((first.body.items[0] as Coupon).code));
    await vouchers.database.query(`update voucher.voucher_group set status = 'inactive' where id = $1`, [small.id]);
    expect((await vouchers.create(small, { tokenId, key, count: 2 })).text).toBe(first.text);
  });

  it('can be used by several tokens independently [vouchers.idempotency-life]', async () => {
    await vouchers.create(group, { tokenId, key });
    const other = await vouchers.create(group, { key });
    expect(other.status).toBe(201);
    expect(other.headers.has('idempotency-replayed')).toBe(false);
    expect(await vouchers.counts(group.id)).toMatchObject({ batches: 2 });
  });

  it('may have up to 255 characters, and is case-sensitive [vouchers.idempotency-life]', async () => {
    const long = 'k'.repeat(255);
    await vouchers.create(group, { tokenId, key: long });
    expect((await vouchers.create(group, { tokenId, key: long })).headers.get('idempotency-replayed')).toBe('true');
    expect((await vouchers.create(group, { tokenId, key: 'K'.repeat(255) })).headers.has('idempotency-replayed')).toBe(
      false,
    );
  });

  it('is refused if the earlier request with this key had different content [errors.idempotency-key-reused]', async () => {
    const other = await vouchers.createGroup({ partnerId: group.partnerId });
    await vouchers.create(group, { tokenId, key, count: 10 });
    for (const answer of [
      await vouchers.create(group, { tokenId, key, count: 11 }),
      await vouchers.create(group, { tokenId, key, count: null }),
      await vouchers.create(other, { tokenId, key, count: 10 }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
    expect(await vouchers.counts(group.id)).toMatchObject({ batches: 1 });
  });

  it('can be used again after the first request with this key has failed [vouchers.idempotency-failures]', async () => {
    const small = await vouchers.createGroup({ stock: 5 });
    expect((await vouchers.create(small, { tokenId, key, count: 6 })).status).toBe(409);
    const answer = await vouchers.create(small, { tokenId, key, count: 5 });
    expect(answer.status).toBe(201);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });

  it('expires after a day, and is then deleted by a later creation [vouchers.idempotency-life]', async () => {
    const first = await vouchers.create(group, { tokenId, key });
    await vouchers.create(group, { tokenId, key: uniqueId('key') });
    await vouchers.database.query(
      `update voucher.idempotency_key set created_at = created_at - interval '24 hours' where token_id = $1`,
      [tokenId],
    );
    const again = await vouchers.create(group, { tokenId, key, count: 3 });
    expect(again.status).toBe(201);
    expect(again.body.batchId).not.toBe(first.body.batchId);
    const kept = await vouchers.database.query(`select key from voucher.idempotency_key where token_id = $1`, [
      tokenId,
    ]);
    expect(kept).toEqual([{ key }]);
  });
});
