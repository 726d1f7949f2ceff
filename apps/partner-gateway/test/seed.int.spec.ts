import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seedDevelopment } from '../src/seed';
import { Gateway } from './gateway';

const CHECKOUT = '/api/v2/partner/subscription/create-checkout-url';

describe('the development seed', () => {
  let gateway: Gateway;
  let folder: string;
  const file = () => path.join(folder, 'nested', 'seed.json');
  const seed = () => seedDevelopment(file(), gateway.database.urlFor('partner'));
  const statusOf = async (token: string | undefined) => (await gateway.request('GET', CHECKOUT, { token })).status;

  beforeAll(async () => {
    gateway = await Gateway.start();
    folder = await mkdtemp(path.join(tmpdir(), 'seed-'));
  });
  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  it('creates promotion partners, with valid, read-only, expired and revoked tokens', async () => {
    const { promotion, promotion2 } = (await seed()).partners;
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await statusOf(promotion.token)).toBe(200);
    expect(await statusOf(promotion.testToken)).toBe(200);
    expect(await statusOf(promotion2.token)).toBe(200);
    expect(await statusOf(promotion.readOnlyToken)).toBe(403);
    expect(await statusOf(promotion.expiredToken)).toBe(401);
    expect(await statusOf(promotion.revokedToken)).toBe(401);
  });

  it('creates voucher partners, with tokens that can list voucher groups but cannot create checkout URLs', async () => {
    const { voucher, voucher2 } = (await seed()).partners;
    gateway.vouchers.answer(200, { items: [] });
    for (const token of [voucher.token, voucher.testToken, voucher2.token, voucher2.testToken]) {
      const path = '/api/v2/partner/subscription/voucher-group';
      expect((await gateway.request('GET', path, { token })).status).toBe(200);
      expect(await statusOf(token)).toBe(403);
    }
  });

  it('adds the partners that the file of an earlier version lacks', async () => {
    const { partners } = await seed();
    const { promotion, promotion2 } = partners;
    await writeFile(file(), JSON.stringify({ partners: { promotion, promotion2 } }));
    const later = await seed();
    expect(later.partners).toEqual({ ...partners, voucher: expect.anything(), voucher2: expect.anything() });
    expect(later.partners.voucher.id).not.toBe(partners.voucher.id);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(later);
  });

  it('keeps the tokens of an earlier run, and restores rows that have been changed since', async () => {
    const first = await seed();
    const { token, id } = first.partners.promotion;
    await gateway.database.query(`update partner.partner_token set revoked_at = now() where partner_id = $1`, [id]);
    await gateway.manage('PATCH', `/admin/partners/${id}`, { active: false });
    await gateway.manage('POST', `/admin/partners/${id}/promotions`, { code: 'ANOTHER', percentOff: 1 });
    expect(await seed()).toEqual(first);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(first);
    const { status, body } = await gateway.request('GET', CHECKOUT, { token });
    expect(status).toBe(200);
    expect(body.discount.percentOff).toBe(20);
  });

  it('creates new partners if the file was lost, and the same partners if the database was lost', async () => {
    const first = await seed();
    await rm(file());
    const second = await seed();
    expect(second.partners.promotion.id).not.toBe(first.partners.promotion.id);
    expect(await statusOf(second.partners.promotion.token)).toBe(200);
    await gateway.database.query('truncate partner.partner cascade');
    await seed();
    expect(await statusOf(second.partners.promotion2.testToken)).toBe(200);
  });
});
