import { SALE_REVOKED } from '@tandem/contracts';
import { eventually, startPostgresServer, uniqueId } from '@tandem/testing';
import { Gateway, purchase, type TestPartner } from './gateway';

describe('while Postgres is down', () => {
  let postgres: Awaited<ReturnType<typeof startPostgresServer>>;
  let gateway: Gateway;
  let partner: TestPartner;
  const revoke = (subscriptionId: string) =>
    gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token: partner.token, body: { subscriptionId } });
  const checkout = () =>
    gateway.request('GET', '/api/v2/partner/subscription/create-checkout-url', { token: partner.token });
  const sold = (oid: string) => purchase(oid, { attribution: { promotionCode: partner.promotionCode } });

  beforeAll(async () => {
    postgres = await startPostgresServer();
    process.env['DATABASE_URL'] = postgres.url;
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  }, 60_000);
  afterAll(async () => {
    await gateway.stop();
    await postgres.stop();
  }, 30_000);

  it('requests with a valid token get 503, never 401, and are served again afterwards [errors.unavailable]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(sold(oid));
    await postgres.kill();
    for (const answer of [await checkout(), await revoke(oid), await gateway.manage('GET', '/admin/partners')]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    // Requests that need no database are still answered.
    expect((await gateway.request('GET', '/admin/partners')).status).toBe(401);

    await postgres.start();
    await eventually(async () => expect((await checkout()).status).toBe(200), { timeoutMs: 30_000 });
    expect((await revoke(oid)).status).toBe(200);
    expect(await gateway.published(SALE_REVOKED.topic, oid)).toHaveLength(1);
  }, 90_000);

  it('purchases wait on the bus, and each becomes one sale afterwards', async () => {
    const oids = Array.from({ length: 100 }, () => uniqueId('sub'));
    await gateway.publish(...oids.map(sold));
    await eventually(async () => expect((await gateway.completed(oids[0] as string)).length).toBe(1));
    await postgres.kill();
    await postgres.start();
    await eventually(
      async () => {
        for (const oid of oids) expect(await gateway.completed(oid)).toHaveLength(1);
      },
      { timeoutMs: 60_000, everyMs: 250 },
    );
    const [row] = await gateway.database.query(`select count(*)::int as letters from partner.dead_letter`);
    expect(row).toEqual({ letters: 0 });
  }, 120_000);
});
