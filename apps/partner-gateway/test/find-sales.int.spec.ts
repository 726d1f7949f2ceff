import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner } from './gateway';

interface Item {
  readonly oid: string;
  readonly partnerName: string | null;
}

type Change = Parameters<typeof purchase>[1];

describe('GET /admin/sales, sorted by the time of the sale', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let day = 0;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());
  // Each test uses a day of its own, because the lists cover the sales of all partners.
  beforeEach(async () => {
    day++;
    partner = await gateway.createPartner();
  });

  const at = (hour: number): string => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
  const range = (from = 0, to = 24): string => `from=${at(from)}&to=${at(to)}`;
  const ask = (query: string) => gateway.manage('GET', `/admin/sales?${query}`);
  const oidsOf = async (query: string): Promise<string[]> => {
    const { status, body } = await ask(query);
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body.items as Item[]).map(({ oid }) => oid);
  };
  const sell = async (hour: number, change: Change = {}, owner = partner): Promise<string> => {
    const oid = uniqueId('sub');
    const attribution = { promotionCode: owner.promotionCode, data4: 'order-1' };
    await gateway.receive(purchase(oid, { occurredAt: at(hour), attribution, ...change }));
    return oid;
  };

  it('filters by the time of the sale: `from` is inclusive, `to` is exclusive [admin.sale-filters]', async () => {
    const [third, first, second] = [await sell(3), await sell(1), await sell(2)];
    expect(await oidsOf(range())).toEqual([third, second, first]);
    expect(await oidsOf(range(1, 3))).toEqual([second, first]);
    expect(await oidsOf(`from=${at(3)}&to=${at(4)}&status=qualified`)).toEqual([third]);
    expect(await oidsOf(`${range()}&status=held`)).toEqual([]);
    expect(await oidsOf(`${range()}&partnerId=${partner.id}&refId=order-1`)).toEqual([third, second, first]);
    expect(await oidsOf(`${range()}&oid=${first}`)).toEqual([first]);
    expect(await oidsOf(`${range()}&oid=${first}&refId=order-2`)).toEqual([]);
    const other = await gateway.createPartner();
    expect(await oidsOf(`${range()}&partnerId=${other.id}`)).toEqual([]);
    expect(await oidsOf(`${range()}&refId=order-1&partnerId=${other.id}`)).toEqual([]);
  });

  it('compares whole references, even if they are long and differ only at the end [admin.sale-filters]', async () => {
    const references = ['1', '2'].map((end) => 'r'.repeat(1023) + end) as [string, string];
    const oids: string[] = [];
    for (const data4 of references) {
      oids.push(await sell(oids.length, { attribution: { promotionCode: partner.promotionCode, data4 } }));
    }
    for (const [index, reference] of references.entries()) {
      expect(await oidsOf(`${range()}&refId=${reference}`)).toEqual([oids[index]]);
      expect(await oidsOf(`partnerId=${partner.id}&refId=${reference}`)).toEqual([oids[index]]);
    }
  });

  it('filters by the environment [admin.sale-filters]', async () => {
    const live = await sell(1);
    const test = await sell(2, { attribution: { checkoutToken: await gateway.checkoutToken(partner.testToken) } });
    expect(await oidsOf(`${range()}&environment=live`)).toEqual([live]);
    expect(await oidsOf(`${range()}&environment=test`)).toEqual([test]);
    expect(await oidsOf(range())).toEqual([test, live]);
  });

  it('finds sales by id, reference, part of a partner’s name, and promotion code [admin.sale-filters]', async () => {
    const name = uniqueId('Corner');
    const { body: owner } = await gateway.manage('POST', '/admin/partners', { name, kind: 'promotion' });
    const code = uniqueId('CORNER');
    await gateway.manage('POST', `/admin/partners/${owner.id}/promotions`, { code, percentOff: 10 });
    const reference = uniqueId('ref');
    const oid = await sell(1, { attribution: { promotionCode: code, data4: reference } });
    await sell(2);
    for (const search of [oid, reference, name.slice(1).toLowerCase(), code.toLowerCase(), owner.id]) {
      const { body } = await ask(`search=${search}`);
      expect([search, body.items]).toMatchObject([search, [{ oid, partnerId: owner.id, partnerName: name }]]);
    }
    expect(await oidsOf(`search=${name}&to=${at(1)}`)).toEqual([]);
    expect(await oidsOf(`search=${name}&environment=test`)).toEqual([]);
    expect(await oidsOf(`search=${uniqueId('nothing')}`)).toEqual([]);
  });

  it('lists a sale only once when it matches in several ways [admin.sale-filters]', async () => {
    const oid = await sell(1);
    await gateway.database.query('update partner.sale set shared_id = $1 where oid = $1', [oid]);
    expect(await oidsOf(`search=${oid}`)).toEqual([oid]);
  });

  it('refuses a search that matches more than 50 partners [admin.sale-filters]', async () => {
    const name = uniqueId('Many');
    await gateway.database.query(
      `insert into partner.partner (id, name, kind, active, revoke_window_days, endpoint_limits_revision, created_at, updated_at)
       select $1 || n, $1, 'promotion', true, 30, 0, now(), now() from generate_series(1, 51) n`,
      [name],
    );
    expect(await ask(`search=${name}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'search', message: 'search must match at most 50 partners' }] },
    });
  });

  it.each([
    ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'to'],
    ['from=yesterday', 'from'],
    ['environment=production', 'environment'],
    ['search=', 'search'],
    ['search=x&oid=y', 'search'],
    ['search=x&partnerId=y', 'search'],
    ['status=unattributed&environment=live', 'status'],
    ['totals=yes', 'totals'],
  ])('refuses the query ?%s [admin.sale-filters]', async (query, field) => {
    expect(await ask(query)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it.each([['environment=live'], ['search=order-1'], ['refId=order-1'], ['status=qualified']])(
    'lists every sale once over all pages, even if sales have the same time: %s [admin.sale-filters]',
    async (filter) => {
      const oids: string[] = [];
      for (const hour of [1, 2, 2, 2, 3]) oids.push(await sell(hour));
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await ask(`${range()}&${filter}&limit=2${cursor}`);
        found.push(...(body.items as Item[]).map(({ oid }) => oid));
        if (!body.hasMore) break;
        cursor = `&cursor=${body.nextCursor}`;
      }
      expect(found).toEqual(oids.reverse());
    },
  );

  it('refuses a cursor that was issued for other filters [errors.invalid-cursor]', async () => {
    await sell(1);
    await sell(2);
    const { nextCursor } = (await ask(`${range()}&limit=1`)).body;
    expect(await ask(`${range()}&limit=1&cursor=${nextCursor}`)).toMatchObject({ status: 200 });
    for (const other of [`${range(0, 23)}`, `${range()}&environment=live`, `${range()}&search=x`, 'limit=1']) {
      expect(await ask(`${other}&cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
    }
  });

  it('reads fewer than 1,000 of 20,000 sales in total for the first two pages with each of four filters [admin.sale-filters]', async () => {
    const oid = await sell(1);
    await gateway.database.query(
      `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, sold_at)
       select oid || '_' || n, (array['pending', 'held', 'failed'])[1 + n % 3], 0, partner_id, promotion_id, environment, '', sold_at + n * interval '1 ms'
         from partner.sale, generate_series(1, 20000) n where oid = $1`,
      [oid],
    );
    await gateway.database.query('analyze partner.sale');
    const before = await salesRead();
    for (const filter of ['environment=live', range(), `search=${partner.id}`, `${range(2)}&status=held`]) {
      const { body } = await ask(`${filter}&limit=10`);
      if (body.hasMore) await ask(`${filter}&limit=10&cursor=${body.nextCursor}`);
    }
    expect((await salesRead()) - before).toBeLessThan(1_000);
  });

  /**
   * Returns how many rows Postgres has read from the table of sales, by sequential scans and by indexes. First ends all other sessions, because a
   * session may report its numbers many seconds late, but at the latest when it ends. The app then connects again.
   */
  async function salesRead(): Promise<number> {
    await gateway.database.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    await gateway.database.query('select pg_stat_force_next_flush()');
    const [row] = await gateway.database.query<{ read: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
        where schemaname = 'partner' and relname = 'sale'`,
    );
    return row?.read ?? 0;
  }

  describe('totals', () => {
    const totals = async (query: string): Promise<unknown> => (await ask(`${query}&totals=true&limit=1`)).body.totals;

    it('cover all matching sales that have qualified, not only those on the page, for each currency [admin.sale-totals]', async () => {
      const refunded = await sell(1);
      await sell(2);
      await sell(3, { currency: 'EUR', amount: '5' });
      await sell(4, { customer: { emailMasked: 'a***z@yopmail.com' } });
      await gateway.receive(closure(refunded, 'subscription.refunded', 0));
      const [eur, one] = [
        { currency: 'EUR', count: 1, amount: '5.00' },
        { currency: 'USD', count: 1, amount: '99.90' },
      ];
      const live = `environment=live&${range()}`;
      expect(await totals(live)).toEqual([eur, { currency: 'USD', count: 2, amount: '199.80' }]);
      expect(await totals(`${live}&partnerId=${partner.id}&status=qualified`)).toEqual([eur, one]);
      expect(await totals(`${live}&status=refunded`)).toEqual([one]);
      expect(await totals(`${live}&partnerId=ptn_x`)).toEqual([]);
      expect(await totals(`environment=live&${range(3)}`)).toEqual([eur]);
    });

    it.each([
      ['no environment', (times: string) => times],
      ['no `from`', () => 'environment=live'],
      ['a time that is not a whole quarter of an hour', () => `environment=live&from=${at(0).replace(':00.', ':01.')}`],
      ['a range of more than 366 days', () => 'environment=live&from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'],
      ['a status of sales that have not qualified', (times: string) => `environment=live&status=held&${times}`],
      ['a reference', (times: string) => `environment=live&refId=x&${times}`],
      ['a search', (times: string) => `environment=live&search=x&${times}`],
    ])('are null for a filter with %s [admin.sale-totals]', async (_name, query) => {
      expect(await totals(query(range()))).toBeNull();
    });

    it('are refused with 422 for partnerId=*, the id that stands for all partners in the tables', async () => {
      expect(await ask(`partnerId=*&environment=live&totals=true&${range()}`)).toMatchObject({ status: 422 });
    });

    it('are null unless the request has totals=true [admin.sale-totals]', async () => {
      expect((await ask(`environment=live&${range()}`)).body.totals).toBeNull();
    });
  });
});
