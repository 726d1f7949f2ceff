import { uniqueId } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { closure, Gateway, purchase, type TestPartner } from './gateway';

interface Line {
  readonly oid: string;
}

describe('GET /admin/sales/export', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let day = 0;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());
  // Each test uses a day of its own, because the export covers the sales of all partners.
  beforeEach(() => day++);

  const at = (hour: number): string => new Date(Date.UTC(2026, 1, day, hour)).toISOString();
  const range = (): string => `?from=${at(0)}&to=${at(24)}`;
  const exported = async (query = range()): Promise<Response> => {
    const headers = { authorization: `Bearer ${await gateway.managerToken()}` };
    return fetch(`${gateway.running.url}/admin/sales/export${query}`, { headers });
  };
  const linesOf = async (query = range()): Promise<Line[]> => {
    const answer = await exported(query);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  };
  const sell = async (hour: number, change: Parameters<typeof purchase>[1] = {}): Promise<string> => {
    const oid = uniqueId('sub');
    const attribution = { promotionCode: partner.promotionCode, data4: 'order-1' };
    await gateway.receive(purchase(oid, { occurredAt: at(hour), attribution, ...change }));
    return oid;
  };

  it('returns a line for each sale that has qualified, newest first, with the fields of its event [admin.sale-export]', async () => {
    const [first, second] = [await sell(1), await sell(2)];
    await sell(3, { paymentStatus: 'pending' });
    await sell(4, { customer: { emailMasked: 'a***z@yopmail.com' } });
    const answer = await exported();
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [event] = await gateway.completed(second);
    const none = { revokedAt: null, revokeReason: null, closedAt: null };
    const [newest, older, ...more] = await linesOf();
    expect(newest).toEqual({ ...event, sequence: 1, status: 'qualified', ...none });
    expect(older).toMatchObject({ oid: first });
    expect(more).toEqual([]);
  });

  it('returns the current state of a sale, and the sequence of its last event [admin.sale-export]', async () => {
    const refunded = await sell(1);
    await gateway.receive(closure(refunded, 'subscription.refunded', 0));
    const neverQualified = await sell(2, { paymentStatus: 'pending' });
    await gateway.receive(closure(neverQualified, 'subscription.refunded', 0));
    const lines = await linesOf();
    const { version, closed_at: closedAt } = (await gateway.sale(refunded)) as { version: number; closed_at: Date };
    expect(lines).toMatchObject([
      { oid: refunded, status: 'refunded', sequence: version, closedAt: closedAt.toISOString() },
    ]);
    expect(version).toBe(2);
  });

  it('filters by the time of the sale and by the environment [admin.sale-export]', async () => {
    const [, second] = [await sell(1), await sell(2), await sell(3)];
    const oids = async (query: string) => (await linesOf(query)).map(({ oid }) => oid);
    expect(await oids(`?from=${at(2)}&to=${at(3)}`)).toEqual([second]);
    expect(await oids(`${range()}&environment=live`)).toHaveLength(3);
    expect(await oids(`${range()}&environment=test`)).toEqual([]);
  });

  it('is complete over many pages, even if sales have the same time [admin.sale-export]', async () => {
    const oid = await sell(1);
    await gateway.database.query(
      `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, sold_at, currency, items, amount, qualified_at)
       select oid || '_' || n, status, version, partner_id, promotion_id, environment, shared_id, sold_at, currency, items, amount, qualified_at
         from partner.sale, generate_series(1, 2500) n where oid = $1`,
      [oid],
    );
    expect(new Set((await linesOf()).map((line) => line.oid)).size).toBe(2_501);
  });

  it.each([
    ['?from=yesterday', 'from'],
    ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['?environment=production', 'environment'],
    ['?status=held', 'status'],
  ])('refuses the query %s [admin.sale-export]', async (query, field) => {
    const answer = await exported(query);
    expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ field }] }]);
  });

  it('waits while the maximum number of exports runs, and begins when one of them has ended [admin.sale-export]', async () => {
    const oid = await sell(1);
    // The export must be longer than the buffers of a connection. A shorter export would end even if nobody reads it.
    await gateway.database.query(
      `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, sold_at, currency, items, qualified_at)
       select oid || '_' || n, status, version, partner_id, promotion_id, environment, repeat('x', 10000), sold_at, currency, items, qualified_at
         from partner.sale, generate_series(1, 5000) n where oid = $1`,
      [oid],
    );
    const running = await Promise.all([exported(), exported()]);
    const third = exported('?environment=test');
    expect(await Promise.race([third, sleep(300)])).toBeUndefined();
    await running[0]?.body?.cancel();
    expect((await third).status).toBe(200);
    await running[1]?.body?.cancel();
  });

  it('is for managers only [admin.access]', async () => {
    expect(await gateway.request('GET', '/admin/sales/export')).toMatchObject({ status: 401 });
    const token = await gateway.managerToken({ scope: 'support' });
    expect(await gateway.request('GET', '/admin/sales/export', { token })).toMatchObject({ status: 403 });
  });
});
