import { uniqueId } from '@tandem/testing';
import { Gateway, purchase, type TestPartner } from './gateway';

const HEADER =
  'oid,partnerId,partnerName,environment,sharedId,status,soldAt,currency,amount,emailMasked,qualifiedAt,revokedAt,closedAt';

describe('GET /admin/sales/export/csv', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let other: TestPartner;
  let day = 0;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
    other = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());
  // Each test uses a day of its own, because the export covers the sales of all partners.
  beforeEach(() => day++);

  const at = (hour: number): string => new Date(Date.UTC(2026, 1, day, hour)).toISOString();
  const request = async (query: Record<string, string> = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${await gateway.managerToken()}` };
    const parameters = new URLSearchParams({ from: at(0), to: at(24), ...query });
    return fetch(`${gateway.running.url}/admin/sales/export/csv?${parameters}`, { headers });
  };
  /** Returns the rows without the header line. */
  const rowsOf = async (query?: Record<string, string>): Promise<string[]> => {
    const answer = await request(query);
    expect(answer.status).toBe(200);
    const [header, ...rows] = (await answer.text()).split('\r\n').slice(0, -1);
    expect(header).toBe(HEADER);
    return rows;
  };
  const oidsOf = async (query?: Record<string, string>): Promise<(string | undefined)[]> =>
    (await rowsOf(query)).map((row) => row.split(',')[0]);
  const sell = async (
    hour: number,
    { promotionCode, ...change }: Parameters<typeof purchase>[1] & { promotionCode?: string; sharedId?: string } = {},
  ): Promise<string> => {
    const { sharedId = 'order-1', ...purchased } = change;
    const oid = uniqueId('sub');
    const attribution = { promotionCode: promotionCode ?? partner.promotionCode, data4: sharedId };
    await gateway.receive(purchase(oid, { occurredAt: at(hour), attribution, ...purchased }));
    return oid;
  };

  it('returns a row with the partner’s name for each attributed sale, qualified or pending, newest first [admin.sale-csv]', async () => {
    const [first, pending] = [await sell(1), await sell(2, { paymentStatus: 'pending' })];
    await sell(3, { promotionCode: 'NOBODYS' });
    const answer = await request();
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sales.csv"');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { body } = await gateway.request('GET', `/admin/sales?oid=${first}`, { token: await gateway.managerToken() });
    const [sale] = (body as { items: Record<string, string | null>[] }).items;
    expect(await rowsOf()).toEqual([
      expect.stringMatching(new RegExp(`^${pending},${partner.id},.+,live,order-1,pending,`)),
      HEADER.split(',')
        .map((name) => sale?.[name] ?? '')
        .join(),
    ]);
  });

  it('filters by partner, status, reference, search, environment and time [admin.sale-csv]', async () => {
    const own = await sell(1, { sharedId: 'order-7' });
    const foreign = await sell(2, { promotionCode: other.promotionCode });
    const pending = await sell(3, { paymentStatus: 'pending' });
    expect(await oidsOf()).toEqual([pending, foreign, own]);
    expect(await oidsOf({ partnerId: other.id })).toEqual([foreign]);
    expect(await oidsOf({ status: 'pending' })).toEqual([pending]);
    expect(await oidsOf({ refId: 'order-7' })).toEqual([own]);
    expect(await oidsOf({ search: foreign })).toEqual([foreign]);
    expect(await oidsOf({ search: other.promotionCode })).toEqual([foreign]);
    expect(await oidsOf({ environment: 'test' })).toEqual([]);
    expect(await oidsOf({ from: at(2), to: at(3) })).toEqual([foreign]);
  });

  it('is complete over many pages [admin.sale-csv]', async () => {
    const oid = await sell(1);
    await gateway.database.query(
      `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, sold_at, currency, items, amount, qualified_at)
       select oid || '_' || n, status, version, partner_id, promotion_id, environment, shared_id, sold_at, currency, items, amount, qualified_at
         from partner.sale, generate_series(1, 2500) n where oid = $1`,
      [oid],
    );
    const oids = await oidsOf();
    expect([oids.length, new Set(oids).size]).toEqual([2_501, 2_501]);
  });

  it('adds an apostrophe before the text of a cell that a spreadsheet would read as a formula [admin.sale-csv]', async () => {
    await sell(1, { sharedId: '=HYPERLINK("https://example.com")' });
    expect((await rowsOf())[0]).toContain(`,"'=HYPERLINK(""https://example.com"")",`);
  });

  it.each([
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
    [{ status: 'unattributed' }, 'status'],
    [{ search: 'shop', partnerId: 'ptn_1' }, 'search'],
    [{ limit: '5' }, 'limit'],
  ])('refuses the filters %j [admin.sale-csv]', async (query, field) => {
    const answer = await request(query);
    expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ field }] }]);
  });

  it('is for managers only [admin.access]', async () => {
    expect(await gateway.request('GET', '/admin/sales/export/csv')).toMatchObject({ status: 401 });
    const token = await gateway.managerToken({ scope: 'support' });
    expect(await gateway.request('GET', '/admin/sales/export/csv', { token })).toMatchObject({ status: 403 });
  });
});
