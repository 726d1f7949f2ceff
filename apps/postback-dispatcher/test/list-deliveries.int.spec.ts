import { PostbackDeliveryPage, postbackDeliveriesPath } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PartitionService } from '../src/delivery/partition.service';
import { DeliveryLog, useDispatcher } from './delivery-log';
import { CURSOR_KEY, Dispatcher, FIELD_KEYS, saleOf, serviceToken } from './dispatcher';
import { answer } from './endpoint-server';

const DAY_MS = 86_400_000;

const fits = (data: unknown): boolean =>
  validateSync(plainToInstance(PostbackDeliveryPage, data), { whitelist: true, forbidNonWhitelisted: true }).length ===
  0;

describe('GET …/deliveries', () => {
  const world = useDispatcher();

  /** Inserts deliveries of different ages. If no status is given, the deliveries have all four statuses in turn. */
  const many = (partnerId: string, count: number, status?: string): Promise<string[]> => {
    const now = Date.now();
    const states = ['delivered', 'failed', 'held', 'pending'];
    return world.log.insert(
      partnerId,
      Array.from({ length: count }, (_, index) => ({
        // Each group of three deliveries has the same creation time, to the microsecond.
        createdAt: new Date(now - Math.floor(index / 3) * 1000).toISOString().replace('Z', '987Z'),
        status: status ?? (states[index % 4] as string),
      })),
    );
  };

  it('returns exactly the fields of a delivery and its attempts [deliveries.list, deliveries.item, deliveries.attempts]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.next(
      answer(500, {}, 'broken'),
      (_, __, socket) => void socket.resetAndDestroy(),
      answer(200, {}, ''),
    );
    const [sale] = await world.log.sales(partnerId, 1, 'delivered');
    const page = await world.log.page(partnerId);
    const row = await world.dispatcher.deliveryOf(sale?.oid ?? '');
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const latencyMs = expect.any(Number);
    expect(page).toEqual({
      items: [
        {
          id: row?.id,
          oid: sale?.oid,
          kind: 'sale',
          refId: 'ref-42',
          status: 'delivered',
          createdAt: at,
          deliveredAt: row?.delivered_at?.toISOString(),
          nextAttemptAt: null,
          error: null,
          attempts: [
            { number: 1, at, status: 500, latencyMs, error: 'status', response: 'broken' },
            { number: 2, at, status: null, latencyMs, error: expect.stringMatching(/^reset/), response: null },
            { number: 3, at, status: 200, latencyMs, error: null, response: null },
          ],
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
    expect(fits(page)).toBe(true);
  });

  it('shows an attempt whose time is before the delivery’s creation, because the clock of a process was behind', async () => {
    const [start] = await world.dispatcher.database.query<{ at: Date }>(
      `select (regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''([^'']+)'''))[1]::timestamptz as at
       from pg_class where relispartition and relname ~ '^attempt_\\d{8}$' order by 1 limit 1`,
    );
    const createdAt = start?.at ?? new Date();
    const partnerId = uniqueId('partner');
    const [id] = await world.log.insert(partnerId, [{ createdAt: createdAt.toISOString(), status: 'delivered' }]);
    await world.dispatcher.database.query(
      `with counted as (update postback.delivery set attempt_count = 1 where id = $1)
       insert into postback.attempt (delivery_id, number, at, status, latency_ms)
       values ($1, 1, $2::timestamptz - interval '90 seconds', 200, 5)`,
      [id, createdAt],
    );
    expect((await world.log.page(partnerId)).items).toMatchObject([{ id, attempts: [{ number: 1, status: 200 }] }]);
  });

  it('shows the first 2 kB of an answer [deliveries.attempts]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.always(answer(200, {}, 'x'.repeat(5000)));
    await world.log.sales(partnerId, 1, 'delivered');
    expect((await world.log.page(partnerId)).items[0]?.attempts[0]?.response).toBe('x'.repeat(2048));
  });

  it('shows at most 2 kB of an answer that an earlier release stored, and no control characters', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await world.log.sales(partnerId, 1, 'delivered');
    const shown = async (stored: string) => {
      const store = `update postback.attempt a set response = $2 from postback.delivery d where d.id = a.delivery_id and d.partner_id = $1`;
      await world.dispatcher.database.query(store, [partnerId, stored]);
      return (await world.log.page(partnerId)).items[0]?.attempts[0]?.response;
    };
    expect(await shown('1\u0001\u001f2\r\n\t"')).toBe('1\ufffd\ufffd2\r\n\t"');
    expect(await shown('\u0001'.repeat(2048))).toBe('\ufffd'.repeat(682));
    expect(await shown('x'.repeat(5000))).toBe('x'.repeat(2048));
  });

  it('shows the time of the next attempt for pending deliveries, but not for held ones [deliveries.item]', async () => {
    const held = uniqueId('partner');
    await world.log.sales(held, 1, 'held');
    expect((await world.log.page(held)).items).toMatchObject([
      { status: 'held', attempts: [], nextAttemptAt: null, deliveredAt: null },
    ]);
    const pending = uniqueId('partner');
    await world.dispatcher.save(pending, { url: world.endpoint.url, authMethod: 'Bearer', key: 'k' });
    await world.log.insert(pending, [{ createdAt: new Date().toISOString(), status: 'pending' }]);
    expect((await world.log.page(pending)).items).toMatchObject([
      { status: 'pending', nextAttemptAt: expect.any(String) },
    ]);
  });

  it('returns an empty page for a partner without deliveries', async () => {
    expect(await world.log.page(uniqueId('partner'))).toEqual({ items: [], nextCursor: null, hasMore: false });
  });

  it.each([1, 2, 7, 12, 500])(
    'returns every delivery once, newest first, with %d per page [deliveries.list]',
    async (limit) => {
      const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
      const ids = await many(partnerId, 24);
      const walked = await world.log.walk(partnerId, { limit: String(limit) });
      expect(walked.map(({ id }) => id)).toEqual(ids);
    },
  );

  it.each(['pending', 'delivered', 'failed', 'held'])(
    'returns only %s deliveries when the filter is this status [deliveries.list]',
    async (status) => {
      const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
      const ids = await many(partnerId, 24);
      const all = await world.log.page(partnerId);
      const walked = await world.log.walk(partnerId, { status, limit: '2' });
      expect(walked.map(({ id }) => id)).toEqual(
        ids.filter((id) => all.items.find((item) => item.id === id)?.status === status),
      );
      expect(walked).toHaveLength(6);
    },
  );

  it('returns only pending deliveries of which an attempt has failed when the filter is failing=true [deliveries.list]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const ids = await many(partnerId, 24);
    const pending = await world.log.walk(partnerId, { status: 'pending' });
    const [failing, again, replayed, replayedAndFailed] = pending.map(({ id }) => id);
    // A replay keeps the number of earlier attempts. The first attempt after the replay may not have been made yet.
    await world.dispatcher.database.query(
      `update postback.delivery d set attempt_count = c.attempts, attempts_before_replay = c.before
         from (values ($1::uuid, 1, 0), ($2, 3, 0), ($3, 2, 2), ($4, 3, 2)) as c (id, attempts, before) where d.id = c.id`,
      [failing, again, replayed, replayedAndFailed],
    );
    await world.dispatcher.database.query(
      `update postback.delivery set attempt_count = 1 where partner_id = $1 and status <> 'pending'`,
      [partnerId],
    );
    const wanted = ids.filter((id) => [failing, again, replayedAndFailed].includes(id));
    for (const query of [{}, { status: 'pending' }] as Record<string, string>[]) {
      const walked = await world.log.walk(partnerId, { ...query, failing: 'true', limit: '2' });
      expect(walked.map(({ id }) => id)).toEqual(wanted);
    }
    expect(await world.log.walk(partnerId, { failing: 'true', status: 'failed' })).toEqual([]);
    expect(await world.log.walk(partnerId, { failing: 'false' })).toHaveLength(24);
    expect((await world.log.page(partnerId, { failing: 'true' }, 'test')).items).toEqual([]);
    expect((await world.log.page(uniqueId('partner'), { failing: 'true' })).items).toEqual([]);
    await world.dispatcher.database.query(`update postback.delivery set ref_id = 'ref-42' where partner_id = $1`, [
      partnerId,
    ]);
    const byRefId = await world.log.walk(partnerId, { failing: 'true', refId: 'ref-42', limit: '1' });
    expect(byRefId.map(({ id }) => id)).toEqual(wanted);
    const { nextCursor: cursor } = await world.log.page(partnerId, { failing: 'true', limit: '1' });
    const refused = { status: 400, body: { code: 'invalid_cursor' } };
    expect(await world.log.list(partnerId, { cursor: cursor ?? '' })).toMatchObject(refused);
    expect(await world.log.list(partnerId, { cursor: cursor ?? '', status: 'pending', failing: 'true' })).toMatchObject(
      refused,
    );
  });

  it('combines failing=true with oid and refId, and leaves out a delivery that failed once but is delivered', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.next(answer(500, {}, 'broken'));
    const [sale] = await world.log.sales(partnerId, 1, 'delivered');
    const oid = sale?.oid ?? '';
    expect((await world.log.page(partnerId, { failing: 'true' })).items).toEqual([]);
    await world.dispatcher.database.query(
      `update postback.delivery set status = 'pending', next_attempt_at = now() + interval '1 hour', delivered_at = null where oid = $1`,
      [oid],
    );
    expect((await world.log.page(partnerId, { failing: 'true', oid })).items).toMatchObject([{ oid }]);
    expect((await world.log.page(partnerId, { failing: 'true', oid, refId: 'ref-43' })).items).toEqual([]);
  });

  it('reads the failing deliveries of a partner by an index of their own, without reading all pending deliveries', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await many(partnerId, 2_000, 'pending');
    await world.dispatcher.database.query(
      `update postback.delivery set attempt_count = 1
        where id in (select id from postback.delivery where partner_id = $1 order by created_at limit 3)`,
      [partnerId],
    );
    await world.dispatcher.database.query('analyze postback.delivery');
    const plan = await world.dispatcher.database.query<{ 'QUERY PLAN': string }>(
      `explain select * from postback.delivery d where partner_id = $1 and environment = 'live'
         and created_at >= now() - interval '90 days' and status = any ('{pending,delivered,failed,held}')
         and d.status = 'pending' and d.attempt_count > d.attempts_before_replay order by created_at desc, id desc limit 51`,
      [partnerId],
    );
    const own = await world.dispatcher.database.query<{ name: string }>(
      `select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = 'postback.delivery_failing'::regclass`,
    );
    const used = plan.flatMap((line) => /Scan .*using (\w+)/.exec(line['QUERY PLAN'])?.[1] ?? []);
    expect(used).not.toEqual([]);
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(used));
    expect((await world.log.page(partnerId, { failing: 'true' })).items).toHaveLength(3);
  });

  it('returns only the delivery of the sale in the filter `oid` [deliveries.list]', async () => {
    const partnerId = uniqueId('partner');
    const [sale] = await world.log.sales(partnerId, 2, 'held');
    const oid = sale?.oid ?? '';
    expect((await world.log.page(partnerId, { oid })).items).toMatchObject([{ oid, refId: 'ref-42' }]);
    expect((await world.log.page(partnerId, { oid, status: 'held', refId: 'ref-42' })).items).toHaveLength(1);
    const misses: Record<string, string>[] = [
      { oid, status: 'failed' },
      { oid, refId: 'ref-43' },
      { oid: uniqueId('sub') },
    ];
    for (const query of misses) {
      expect((await world.log.page(partnerId, query)).items).toEqual([]);
    }
    expect((await world.log.page(partnerId, { oid }, 'test')).items).toEqual([]);
    expect((await world.log.page(uniqueId('partner'), { oid })).items).toEqual([]);
  });

  it('returns only the deliveries with the reference in the filter `refId` [deliveries.list]', async () => {
    const partnerId = uniqueId('partner');
    const refId = uniqueId('ref');
    const sales = [refId, refId, '', refId].map((sharedId) => saleOf(partnerId, { sharedId }));
    await world.dispatcher.publish(...sales);
    for (const { oid } of sales) await world.log.settled(oid, 'held');
    const oids = sales.filter(({ sharedId }) => sharedId === refId).map(({ oid }) => oid);
    const walked = await world.log.walk(partnerId, { refId, limit: '1' });
    expect(walked.map(({ oid }) => oid).sort()).toEqual(oids.sort());
    expect((await world.log.page(partnerId, { refId, status: 'delivered' })).items).toEqual([]);
    expect((await world.log.page(partnerId, { oid: sales[2]?.oid ?? '' })).items).toMatchObject([{ refId: null }]);
    expect((await world.log.page(uniqueId('partner'), { refId })).items).toEqual([]);
  });

  it('finds deliveries by a reference of 1,024 characters, the most that webhook-ingest accepts [deliveries.list]', async () => {
    const partnerId = uniqueId('partner');
    const start = Array.from({ length: 1023 }, (_, index) => String.fromCodePoint(0x4e00 + index * 17)).join('');
    const sales = ['1', '2'].map((end) => saleOf(partnerId, { sharedId: start + end }));
    await world.dispatcher.publish(...sales);
    for (const { oid } of sales) await world.log.settled(oid, 'held');
    for (const { oid, sharedId: refId } of sales) {
      expect((await world.log.page(partnerId, { refId })).items).toMatchObject([{ oid, refId }]);
    }
  });

  it('returns 100 deliveries per page by default, and at most 500', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await many(partnerId, 101);
    const { items, hasMore } = await world.log.page(partnerId);
    expect([items.length, hasMore]).toEqual([100, true]);
    expect((await world.log.page(partnerId, { limit: '500' })).items).toHaveLength(101);
    const refused = await world.log.list(partnerId, { limit: '501' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'limit' }] } });
  });

  it('continues after the previous page even if newer deliveries have arrived', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const ids = await many(partnerId, 6);
    const first = await world.log.page(partnerId, { limit: '2' });
    await world.log.sales(partnerId, 3, 'delivered');
    const second = await world.log.page(partnerId, { limit: '2', cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  it.each([
    ['status=sent', 'status'],
    ['status=', 'status'],
    ['status=PENDING', 'status'],
    ['status=held&status=failed', 'status'],
    ['failing=yes', 'failing'],
    ['failing=', 'failing'],
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['cursor=a&cursor=b', 'cursor'],
    ['oid=', 'oid'],
    ['oid=a&oid=b', 'oid'],
    ['oid=%00', 'oid'],
    ['refId=', 'refId'],
  ])('answers 422 to ?%s [deliveries.unknown-status]', async (query, field) => {
    expect(await world.log.list(uniqueId('partner'), query)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
  });

  it('shows no delivery of another partner or of the other environment', async () => {
    const partnerId = uniqueId('partner');
    const [live] = await world.log.sales(partnerId, 1, 'held', 'live');
    const [test] = await world.log.sales(partnerId, 1, 'held', 'test');
    await world.log.sales(uniqueId('partner'), 1, 'held');
    expect((await world.log.page(partnerId)).items.map(({ oid }) => oid)).toEqual([live?.oid]);
    expect((await world.log.page(partnerId, {}, 'test')).items.map(({ oid }) => oid)).toEqual([test?.oid]);
  });

  describe('with a cursor', () => {
    let partnerId: string;
    let cursor: string;

    beforeAll(async () => {
      partnerId = uniqueId('partner');
      await many(partnerId, 6, 'held');
      cursor = (await world.log.page(partnerId, { limit: '2' })).nextCursor ?? '';
    });

    const refused = { status: 400, body: { code: 'invalid_cursor' } };

    it('answers 400 to a cursor of another partner, environment, status, sale or reference [deliveries.list]', async () => {
      expect(await world.log.list(partnerId, { cursor, oid: 'sub-1' })).toMatchObject(refused);
      expect(await world.log.list(partnerId, { cursor, refId: 'ref-1' })).toMatchObject(refused);
      expect((await world.log.list(partnerId, { cursor })).status).toBe(200);
      expect(await world.log.list(uniqueId('partner'), { cursor })).toMatchObject(refused);
      expect(await world.log.list(partnerId, { cursor }, 'test')).toMatchObject(refused);
      expect(await world.log.list(partnerId, { cursor, status: 'held' })).toMatchObject(refused);
      const { nextCursor } = await world.log.page(partnerId, { limit: '2', status: 'held' });
      expect(await world.log.list(partnerId, { cursor: nextCursor ?? '', status: 'failed' })).toMatchObject(refused);
      expect(await world.log.list(partnerId, { cursor: nextCursor ?? '' })).toMatchObject(refused);
    });

    it('answers 400 to a cursor that is truncated, extended, empty, made-up text or 10 kB long [deliveries.list]', async () => {
      const wrong = [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, '', '!', 'a'.repeat(56), 'a'.repeat(10_240)];
      for (const one of wrong) expect(await world.log.list(partnerId, { cursor: one })).toMatchObject(refused);
    });

    it('answers 400 to a cursor in which one character was changed [deliveries.list]', async () => {
      for (let place = 0; place < cursor.length; place++) {
        const other = cursor[place] === 'A' ? 'B' : 'A';
        const flipped = cursor.slice(0, place) + other + cursor.slice(place + 1);
        expect([place, (await world.log.list(partnerId, { cursor: flipped })).status]).toEqual([place, 400]);
      }
    });

    it('answers 200 to a cursor of another replica, even if the key that signed it is no longer the first key', async () => {
      const keys = `${Buffer.alloc(32, 7).toString('base64')}, ${CURSOR_KEY}`;
      const env = { CURSOR_SIGNING_KEYS: keys, FIELD_ENCRYPTION_KEYS: FIELD_KEYS };
      const other = await Dispatcher.start(env, world.dispatcher.database);
      try {
        const there = new DeliveryLog(other);
        expect(await there.page(partnerId, { cursor, limit: '2' })).toMatchObject({ items: [{}, {}], hasMore: true });
        const { nextCursor } = await there.page(partnerId, { limit: '2' });
        expect(await world.log.list(partnerId, { cursor: nextCursor ?? '' })).toMatchObject(refused);
      } finally {
        await other.stop();
      }
    });
  });

  it('returns no delivery that is older than the retention, with or without a cursor', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const partitions = world.dispatcher.running.nest.get(PartitionService);
    const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    await world.dispatcher.database.query(
      `create table postback.delivery_long_ago partition of postback.delivery for values from ('2020-01-01') to ('${ago(30)}');
       alter table postback.delivery_long_ago owner to postback_owner`,
    );
    const [newest, second] = await world.log.insert(partnerId, [
      { createdAt: ago(0), status: 'held' },
      { createdAt: ago(89), status: 'failed' },
      { createdAt: ago(91), status: 'held' },
      { createdAt: ago(200), status: 'pending' },
    ]);
    const first = await world.log.page(partnerId, { limit: '1' });
    expect(first).toMatchObject({ items: [{ id: newest }], hasMore: true });
    const cursor = first.nextCursor ?? '';
    const rest = await world.log.page(partnerId, { cursor, limit: '1' });
    expect(rest).toMatchObject({ items: [{ id: second }], nextCursor: null, hasMore: false });

    await world.dispatcher.database.query(
      `update postback.delivery set status = 'failed', next_attempt_at = null where partner_id = $1`,
      [partnerId],
    );
    await partitions.maintain(new Date(Date.now() + 62 * DAY_MS));
    const tables = await world.dispatcher.database.query(`select to_regclass('postback.delivery_long_ago') as name`);
    expect(tables).toEqual([{ name: null }]);
    expect(await world.log.page(partnerId, { cursor, limit: '1' })).toEqual({
      items: [],
      nextCursor: null,
      hasMore: false,
    });
  });

  it('shows only the newest 10 attempts of a delivery', async () => {
    const partnerId = uniqueId('partner');
    const [id] = await world.log.insert(partnerId, [{ createdAt: new Date().toISOString(), status: 'failed' }]);
    await world.dispatcher.database.query(
      `with counted as (update postback.delivery set attempt_count = 60 where id = $1)
       insert into postback.attempt (delivery_id, number, at, latency_ms)
       select $1, n, clock_timestamp(), 1 from generate_series(1, 60) n`,
      [id],
    );
    const [item] = (await world.log.page(partnerId)).items;
    expect(item?.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 10 }, (_, index) => index + 51));
  });

  it.each<[string, string | Promise<string>]>([
    ['no token', ''],
    ['a token for another audience', serviceToken('partner-gateway')],
  ])('refuses callers with %s', async (_, token) => {
    const path = postbackDeliveriesPath('p', 'live');
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/replay'],
      ['POST', '/01910000-0000-7000-8000-00000000000a/replay'],
    ] as const) {
      expect((await world.dispatcher.request(method, path + end, undefined, token)).status).toBe(401);
    }
  });

  it('answers 404 for an environment other than live and test', async () => {
    expect(await world.log.list('p', '', 'staging')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
