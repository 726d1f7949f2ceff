import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { uniqueId } from '@tandem/testing';
import { seedVouchers } from '../src/seed';
import { type TestGroup, Vouchers } from './vouchers';

describe('the development seed', () => {
  const partners = { voucher: { id: uniqueId('ptn') }, voucher2: { id: uniqueId('ptn') } };
  let vouchers: Vouchers;
  let folder: string;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
    folder = await mkdtemp(path.join(tmpdir(), 'voucher-seed-'));
    await writeFile(path.join(folder, 'seed.json'), JSON.stringify({ partners }));
  });
  afterAll(async () => {
    await vouchers.stop();
    await rm(folder, { recursive: true });
  });

  const seed = () => {
    const files = { partners: path.join(folder, 'seed.json'), vouchers: path.join(folder, 'new', 'vouchers.json') };
    return seedVouchers(files, vouchers.database.urlFor('voucher'));
  };
  const groupOf = (id: string, partnerId = partners.voucher.id, environment = 'live'): TestGroup => ({
    id,
    partnerId,
    environment,
  });

  it('creates active groups; the next run keeps them and makes inactive ones active again', async () => {
    const first = await seed();
    expect((await stat(path.join(folder, 'new', 'vouchers.json'))).mode & 0o777).toBe(0o600);
    for (const group of [
      groupOf(first.voucher.voucherGroupId),
      groupOf(first.voucher.otherVoucherGroupId),
      groupOf(first.voucher.testVoucherGroupId, partners.voucher.id, 'test'),
      groupOf(first.voucher2.voucherGroupId, partners.voucher2.id),
    ]) {
      expect((await vouchers.create(group, { count: 1 })).status).toBe(201);
    }
    await vouchers.database.query(`update voucher.voucher_group set status = 'inactive'`);
    expect(await seed()).toEqual(first);
    expect(await vouchers.group(first.voucher.voucherGroupId)).toMatchObject({
      issued: 1,
      stock: null,
      status: 'active',
    });
  });

  it('leaves a remaining stock of five coupons in the low-stock group after each run', async () => {
    const low = groupOf((await seed()).voucher.lowStockVoucherGroupId);
    expect((await vouchers.create(low, { count: 6 })).body.code).toBe('insufficient_stock');
    expect((await vouchers.create(low, { count: 5 })).status).toBe(201);
    expect((await vouchers.create(low, { count: 1 })).body.code).toBe('insufficient_stock');
    await seed();
    expect(await vouchers.group(low.id)).toMatchObject({ issued: 5, stock: 10 });
  });
});
