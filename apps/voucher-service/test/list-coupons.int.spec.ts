import { couponsPath } from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { type Coupon, CURSOR_KEY, purchase, serviceToken, type TestGroup, Vouchers } from './vouchers';

const QUERIES: Record<string, string>[] = [{}, { status: 'active' }, { status: 'expired' }, { status: 'redeemed' }];

const codesOf = (items: Coupon[]): string[] => items.map(({ code }) => code);

describe('GET /internal/partners/{id}/{environment}/coupons', () => {
  let vouchers: Vouchers;
  let group: TestGroup;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
    group = await vouchers.createGroup();
    await vouchers.create(group, { count: 25 });
  });
  afterAll(() => vouchers.stop());

  describe('pages', () => {
    it('contain every coupon once, newest first [interface.vouchers-list, vouchers.page, vouchers.next-page]', async () => {
      const own = await vouchers.createGroup();
      const made: Coupon[] = [];
      for (const count of [7, 3, 6]) made.unshift(...(await vouchers.create(own, { count })).body.items);
      for (const limit of [1, 4, 15, 16, 17, 500]) {
        expect(codesOf(await vouchers.listAll(own, { limit }))).toEqual(codesOf(made));
      }
    });

    it('have a next cursor only if another page follows [vouchers.page, vouchers.next-page]', async () => {
      const { body } = await vouchers.list(group, { limit: 24 });
      expect(body).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
      const last = await vouchers.list(group, { limit: 24, cursor: body.nextCursor });
      expect(last.body).toMatchObject({ hasMore: false, nextCursor: null });
      expect(last.body.items).toHaveLength(1);
      expect((await vouchers.list(group, { limit: 25 })).body).toMatchObject({ hasMore: false, nextCursor: null });
    });

    it('contain up to 100 coupons by default [vouchers.limit]', async () => {
      const own = await vouchers.createGroup();
      await vouchers.create(own, { count: 101 });
      expect((await vouchers.list(own)).body.items).toHaveLength(100);
    });

    it('are empty for a group without coupons', async () => {
      const empty = await vouchers.createGroup();
      for (const query of QUERIES) {
        expect(await vouchers.list(empty, query)).toMatchObject({
          status: 200,
          body: { items: [], nextCursor: null, hasMore: false },
        });
      }
    });

    it('continue after the previous page even if coupons were created in between [vouchers.page]', async () => {
      const own = await vouchers.createGroup();
      const { body: made } = await vouchers.create(own, { count: 4 });
      const { body: page } = await vouchers.list(own, { limit: 2 });
      await vouchers.create(own, { count: 3 });
      const { body: next } = await vouchers.list(own, { limit: 2, cursor: page.nextCursor });
      expect(codesOf([...page.items, ...next.items])).toEqual(codesOf(made.items));
    });

    it.each([0, -1, 1.5, 501, 'abc', '', '1e9'])('are refused with the limit %p [vouchers.limit]', async (limit) => {
      expect(await vouchers.list(group, { limit })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'limit' }] },
      });
    });
  });

  describe('the status filter', () => {
    const filtered = async (own: TestGroup, status: string): Promise<string[]> =>
      codesOf(await vouchers.listAll(own, { status, limit: 2 })).sort();

    it('selects the coupons with the given status [vouchers.status-filter]', async () => {
      const own = await vouchers.createGroup();
      const { body } = await vouchers.create(own, { count: 9 });
      const codes = codesOf(body.items);
      await vouchers.receive(...codes.slice(2, 5).map((code) => purchase(code)));
      const revoked = codes.slice(5, 7).map((code) => code.replaceAll('-', ''));
      await vouchers.database.query(`update voucher.coupon set status = 'revoked' where code = any ($1)`, [revoked]);
      expect(await filtered(own, 'redeemed')).toEqual(codes.slice(2, 5).sort());
      expect(await filtered(own, 'revoked')).toEqual(codes.slice(5, 7).sort());
      expect(await filtered(own, 'active')).toEqual([...codes.slice(0, 2), ...codes.slice(7)].sort());
      expect(await filtered(own, 'expired')).toEqual([]);
    });

    it('selects unredeemed coupons by `expired`, and no longer by `active`, once their group has ended [vouchers.states]', async () => {
      const validUntil = new Date(Date.now() + 1500).toISOString();
      const own = await vouchers.createGroup({ validUntil });
      const { body } = await vouchers.create(own, { count: 5 });
      const codes = codesOf(body.items);
      await vouchers.receive(purchase(codes[0]));
      expect(await filtered(own, 'active')).toEqual(codes.slice(1).sort());
      expect(await filtered(own, 'expired')).toEqual([]);
      await eventually(async () => expect(await filtered(own, 'expired')).toEqual(codes.slice(1).sort()));
      expect(await filtered(own, 'active')).toEqual([]);
      expect(await filtered(own, 'redeemed')).toEqual([codes[0]]);
      const all = await vouchers.listAll(own);
      expect(all.map(({ status }) => status)).toEqual(['redeemed', ...Array(4).fill('expired')]);
      expect(all.every(({ expiresAt }) => expiresAt === validUntil)).toBe(true);
    });

    it.each(['sold', '', 'ACTIVE'])('refuses the invalid status %p [vouchers.status-filter]', async (status) => {
      expect(await vouchers.list(group, { status })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'status' }] },
      });
    });
  });

  describe('a cursor', () => {
    const INVALID = { status: 400, body: { code: 'invalid_cursor' } };
    let cursor: string;
    const flipped = (): string => {
      const bytes = Buffer.from(cursor, 'base64url');
      bytes[7] = (bytes[7] as number) ^ 1;
      return bytes.toString('base64url');
    };

    beforeAll(async () => {
      cursor = (await vouchers.list(group, { limit: 2 })).body.nextCursor;
    });

    it.each<[string, () => string]>([
      ['it is empty', () => ''],
      ['it is some other text', () => 'abc'],
      ['it is truncated', () => cursor.slice(0, -1)],
      ['a character is appended', () => `${cursor}A`],
      ['one bit is changed', flipped],
      ['it is 10 kB long', () => 'A'.repeat(10_240)],
      ['it contains a character outside base64url', () => `${cursor.slice(0, -1)}!`],
    ])('is refused when %s [vouchers.cursor]', async (_name, text) => {
      expect(await vouchers.list(group, { limit: 2, cursor: text() })).toMatchObject(INVALID);
    });

    it('gets 400 invalid_cursor if it is malformed, even if the group id is malformed or unknown, too [errors.order]', async () => {
      for (const id of ['nope', '7c9e6679-7425-40de-944b-e07fc1f90ae7']) {
        expect(await vouchers.list({ ...group, id }, { cursor: 'abc' })).toMatchObject(INVALID);
      }
    });

    it('is valid only for its group, partner, environment and status [vouchers.cursor]', async () => {
      const other = await vouchers.createGroup({ partnerId: group.partnerId });
      const test = await vouchers.createGroup({ partnerId: group.partnerId, environment: 'test' });
      for (const list of [other, test, { ...group, partnerId: uniqueId('ptn') }, { ...group, environment: 'test' }]) {
        expect(await vouchers.list(list, { limit: 2, cursor })).toMatchObject(INVALID);
      }
      expect(await vouchers.list(group, { limit: 2, cursor, status: 'active' })).toMatchObject(INVALID);
      const ofActive = (await vouchers.list(group, { limit: 2, status: 'active' })).body.nextCursor;
      expect(await vouchers.list(group, { limit: 2, cursor: ofActive })).toMatchObject(INVALID);
      expect(await vouchers.list(group, { limit: 2, cursor: ofActive, status: 'expired' })).toMatchObject(INVALID);
    });

    it('is valid with another limit, and on a replica that signs its own cursors with another key', async () => {
      const next = Buffer.alloc(32, 7).toString('base64');
      const replica = await Vouchers.start({ CURSOR_SIGNING_KEYS: `${next},${CURSOR_KEY}` }, vouchers.database);
      try {
        const here = await vouchers.list(group, { limit: 9, cursor });
        const there = await replica.list(group, { limit: 9, cursor });
        expect(here.status).toBe(200);
        expect(there.body.items).toEqual(here.body.items);
        expect(await vouchers.list(group, { cursor: there.body.nextCursor })).toMatchObject(INVALID);
      } finally {
        await replica.stop();
      }
    });
  });

  it.each<[string, () => TestGroup | Promise<TestGroup>]>([
    ['an unknown group', () => ({ ...group, id: '00000000-0000-4000-8000-000000000000' })],
    ['a group with a malformed id', () => ({ ...group, id: "' or true --" })],
    ["another partner's group", () => ({ ...group, partnerId: uniqueId('ptn') })],
    ['a live group in the test environment', () => ({ ...group, environment: 'test' })],
    ['an inactive group', () => vouchers.createGroup({ status: 'inactive' })],
  ])(
    'answers 404 voucher_group_not_found for %s [vouchers.test-data, errors.voucher-group-not-found]',
    async (_name, choose) => {
      const chosen = await choose();
      for (const query of QUERIES) {
        expect(await vouchers.list(chosen, query)).toMatchObject({
          status: 404,
          body: { code: 'voucher_group_not_found' },
        });
      }
    },
  );

  it('answers 422 without a voucherGroupId', async () => {
    expect(await vouchers.request('GET', couponsPath(group.partnerId, 'live'))).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'voucherGroupId' }] },
    });
  });

  it('answers 404 for an environment that does not exist', async () => {
    expect(await vouchers.list({ ...group, environment: 'staging' })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('answers 401 without a service token for this app', async () => {
    const path = `${couponsPath(group.partnerId, 'live')}?voucherGroupId=${group.id}`;
    for (const token of [null, 'abc', serviceToken('partner-gateway')]) {
      expect(await vouchers.request('GET', path, undefined, token)).toMatchObject({ status: 401 });
    }
  });

  it('reads hardly more rows than the page contains, however many pages precede it [vouchers.page-cost]', async () => {
    const own = await vouchers.createGroup();
    await vouchers.database.query(
      `insert into voucher.coupon (group_id, id, batch_id, code, created_at, status)
       select $1::uuid, gen_random_uuid(), gen_random_uuid(),
              translate(upper(substr(md5(n::text || $1::uuid::text), 1, 16)), '01', 'XY'), now(),
              case when n % 2 = 0 then 'active' else 'revoked' end
         from generate_series(1, 20000) n`,
      [own.id],
    );
    await vouchers.database.query('analyze voucher.coupon');
    const before = await entriesRead();
    const { body } = await vouchers.list(own, { limit: 5, status: 'active' });
    expect(body.items).toHaveLength(5);
    expect((await vouchers.listAll(own, { limit: 500 })).length).toBe(20_000);
    // Each page reads its own rows and one row more, so the whole list of 20,000 coupons reads little more than 20,000 rows. If pages also
    // read the rows of earlier pages, the list would read many more rows.
    expect((await entriesRead()) - before).toBeLessThan(21_000);
  });

  /**
   * Returns how many rows of the table `coupon` all scans have read so far. Postgres updates this statistic with a delay, so the
   * function reads the statistic until it stops changing.
   */
  async function entriesRead(): Promise<number> {
    let last = -1;
    return eventually(
      async () => {
        const [row] = await vouchers.database.query<{ read: number }>(
          `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
          where schemaname = 'voucher' and relname = 'coupon'`,
        );
        const read = row?.read ?? 0;
        if (read !== last) {
          last = read;
          throw new Error('the statistics did not stop changing');
        }
        return read;
      },
      { everyMs: 1200, timeoutMs: 20_000 },
    );
  }
});
