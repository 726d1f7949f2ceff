import { type SaleCompleted } from '@tandem/contracts';
import { ReplayedPostbackDeliveries } from '@tandem/internal-api';
import { eventually, keepLocks, uniqueId } from '@tandem/testing';
import { validateSync } from 'class-validator';
import { DataSource } from 'typeorm';
import { IN_INDEX_ORDER } from '../src/dispatch/index-order';
import { aroundNow, DeliveryLog } from './delivery-log';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const DAY_MS = 86_400_000;
const DEADLOCKS = `select deadlocks from pg_stat_database where datname = current_database()`;

describe('POST …/deliveries/replay', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_REPLAY_MAX: '100' });
    log = new DeliveryLog(dispatcher);
  });
  afterAll(() => dispatcher?.stop());
  beforeEach(async () => {
    endpoint = await EndpointServer.start();
  });
  afterEach(() => endpoint.stop());

  /** Creates a partner with held deliveries. They are held because the partner's configuration is saved only after the sales. */
  const withHeld = async (count: number): Promise<{ partnerId: string; sales: SaleCompleted[] }> => {
    const partnerId = uniqueId('partner');
    const sales = await log.sales(partnerId, count, 'held');
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer', key: 'k' });
    return { partnerId, sales };
  };
  const statusesOf = async (sales: readonly SaleCompleted[]): Promise<string[]> => {
    const rows = await Promise.all(sales.map(({ oid }) => dispatcher.deliveryOf(oid)));
    return rows.map((row) => row?.status ?? 'none');
  };
  /** Runs `work` while a transaction locks the newest delivery of a partner. */
  const whileLocked = <T>(partnerId: string, work: () => Promise<T>): Promise<T> =>
    dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query(`select from delivery where partner_id = $1 order by created_at desc limit 1 for update`, [
        partnerId,
      ]);
      return work();
    });

  it('sends only failed and held deliveries when no status is given [deliveries.replay-range]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const delivered = await log.sales(partnerId, 1, 'delivered');
    endpoint.always(answer(500));
    const failed = await log.sales(partnerId, 2, 'failed');
    endpoint.always(answer(410));
    await log.sales(partnerId, 1, 'failed');
    const held = await log.sales(partnerId, 2, 'held');
    endpoint.always(answer(200));
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });

    const before = endpoint.received.length;
    const replayed = await log.replayRange(partnerId, aroundNow());
    expect(replayed).toMatchObject({ status: 202, body: { count: 5 } });
    expect(
      validateSync(Object.assign(new ReplayedPostbackDeliveries(), replayed.body), {
        whitelist: true,
        forbidNonWhitelisted: true,
      }),
    ).toEqual([]);
    for (const { oid } of [...failed, ...held]) await log.settled(oid, 'delivered');
    await eventually(() => expect(endpoint.received).toHaveLength(before + 5));
    expect(endpoint.about(delivered[0]?.oid ?? '')).toHaveLength(1);
    expect(await log.replayRange(partnerId, aroundNow())).toMatchObject({ status: 202, body: { count: 0 } });
  });

  it.each(['delivered', 'failed', 'held'])(
    'sends only %s deliveries when that status is given [deliveries.replay-range]',
    async (status) => {
      const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
      const now = new Date().toISOString();
      const states = ['delivered', 'failed', 'held', 'pending'];
      await log.insert(
        partnerId,
        states.map((one) => ({ createdAt: now, status: one })),
      );
      expect((await log.replayRange(partnerId, { ...aroundNow(), status })).body).toEqual({ count: 1 });
      await eventually(async () => {
        const left = (await log.page(partnerId)).items.map((item) => item.status).sort();
        const rest = states.filter((one) => one !== status);
        expect(left).toEqual([...rest, 'delivered'].sort());
      });
      expect(endpoint.received).toHaveLength(1);
    },
  );

  it('sends each failed, held and delivered delivery once, but no pending delivery, when the status all is given', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const createdAt = new Date().toISOString();
    await log.insert(
      partnerId,
      ['delivered', 'failed', 'held', 'pending'].map((status) => ({ createdAt, status })),
    );
    expect((await log.replayRange(partnerId, { ...aroundNow(), status: 'all' })).body).toEqual({ count: 3 });
    await eventually(async () => {
      const left = (await log.page(partnerId)).items.map((item) => item.status).sort();
      expect(left).toEqual(['delivered', 'delivered', 'delivered', 'pending']);
    });
    expect(endpoint.received).toHaveLength(3);
  });

  it('does not send a delivery that was delivered only after the replay began', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [early, late] = await log.sales(partnerId, 2, 'delivered');
    await dispatcher.database.query(
      `update postback.delivery set delivered_at = now() + interval '1 minute' where oid = $1`,
      [late?.oid],
    );
    for (const status of ['delivered', 'all'] as const) {
      const { body } = await log.replayRange(partnerId, { ...aroundNow(), status });
      expect(body).toEqual({ count: 1 });
      await log.settled(early?.oid ?? '', 'delivered');
    }
    expect(endpoint.about(late?.oid ?? '')).toHaveLength(1);
  });

  it('runs its statements without JIT compilation, which would take longer than the statements themselves', async () => {
    await dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      await manager.query(IN_INDEX_ORDER);
      expect(await manager.query('show jit')).toEqual([{ jit: 'off' }]);
    });
  });

  it('makes the pending deliveries of the range due immediately when the status pending is given', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await log.insert(partnerId, [{ createdAt: new Date().toISOString(), status: 'pending' }]);
    expect((await log.replayRange(partnerId, { ...aroundNow(), status: 'pending' })).body).toEqual({ count: 1 });
    await eventually(() => expect(endpoint.received).toHaveLength(1));
  });

  it('includes the time `from` and excludes the time `to`, comparing creation times in whole milliseconds [deliveries.replay-range]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const start = Date.now() - 60_000;
    const at = (ms: number): string => new Date(start + ms).toISOString();
    // Postgres stores these times with microseconds: 0.999 ms later than answers show them.
    await log.insert(
      partnerId,
      [-1, 0, 1, 2].map((ms) => ({ createdAt: at(ms).replace('Z', '999Z'), status: 'held' })),
    );
    // The start of the range, in the time zone +02:00.
    const fromAtPlus2 = `${new Date(start + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
    expect((await log.replayRange(partnerId, { from: fromAtPlus2, to: at(2) })).body).toEqual({ count: 2 });
    await eventually(async () => {
      const items = (await log.page(partnerId)).items;
      expect(items.map(({ createdAt, status }) => [createdAt, status])).toEqual([
        [at(2), 'held'],
        [at(1), 'delivered'],
        [at(0), 'delivered'],
        [at(-1), 'held'],
      ]);
    });
  });

  it('does not affect another partner or the other environment', async () => {
    const { partnerId, sales } = await withHeld(1);
    const other = await withHeld(1);
    const test = await log.sales(partnerId, 1, 'held', 'test');
    expect((await log.replayRange(partnerId, aroundNow())).body).toEqual({ count: 1 });
    await log.settled(sales[0]?.oid ?? '', 'delivered');
    expect(await statusesOf([...other.sales, ...test])).toEqual(['held', 'held']);
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer', key: 'k' }, 'test');
    expect((await log.replayRange(partnerId, aroundNow(), 'test')).body).toEqual({ count: 1 });
    await log.settled(test[0]?.oid ?? '', 'delivered');
    expect(endpoint.about(test[0]?.oid ?? '')).toMatchObject([{ headers: { 'x-environment': 'test' } }]);
  });

  it('answers 404 without a configuration, and 409 when the configuration is disabled', async () => {
    const partnerId = uniqueId('partner');
    const sales = await log.sales(partnerId, 1, 'held');
    expect(await log.replayRange(partnerId, aroundNow())).toMatchObject({
      status: 404,
      body: { code: 'postback_not_configured' },
    });
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer', key: 'k' });
    endpoint.always(answer(410));
    await log.sales(partnerId, 1, 'failed');
    expect(await log.replayRange(partnerId, aroundNow())).toMatchObject({
      status: 409,
      body: { code: 'postback_disabled' },
    });
    expect(await statusesOf(sales)).toEqual(['held']);
  });

  const { from, to } = aroundNow();
  it.each<[string, unknown, string[]]>([
    ['a body without `from` and `to`', {}, ['from', 'to']],
    ['a body without `to`', { from }, ['to']],
    ['null instead of times', { from: null, to: null }, ['from', 'to']],
    ['a number instead of a time', { from: 1, to }, ['from']],
    ['a date instead of a time', { from: '2026-01-05', to }, ['from']],
    ['a time without a zone', { from: '2026-01-05T00:00:00', to }, ['from']],
    ['a day that does not exist', { from: '2026-02-30T00:00:00Z', to }, ['from']],
    ['an hour that does not exist', { from: '2026-01-05T25:00:00Z', to }, ['from']],
    ['a zone that does not exist', { from: '2026-01-05T00:00:00+99:99', to }, ['from']],
    ['a `to` before `from`', { from: to, to: from }, ['to']],
    ['a `to` that equals `from`', { from, to: from }, ['to']],
    [
      'a range longer than the retention',
      { from: new Date(Date.parse(to) - 90 * DAY_MS - 1).toISOString(), to },
      ['to'],
    ],
    ['a range of all times', { from: '1970-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }, ['to']],
    ['an unknown status', { from, to, status: 'sent' }, ['status']],
    ['an empty status', { from, to, status: '' }, ['status']],
  ])('answers 422 to %s [deliveries.replay-range]', async (_, body, fields) => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const refused = await log.replayRange(partnerId, body);
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect((refused.body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
  });

  it('accepts a range that is as long as the retention, and a range that ended long ago', async () => {
    const { partnerId, sales } = await withHeld(1);
    const first = new Date(Date.parse(to) - 90 * DAY_MS).toISOString();
    expect((await log.replayRange(partnerId, { from: first, to, status: null })).body).toEqual({ count: 1 });
    await log.settled(sales[0]?.oid ?? '', 'delivered');
    const long = { from: '1970-01-01T00:00:00Z', to: '1970-01-02T00:00:00Z' };
    expect((await log.replayRange(partnerId, long)).body).toEqual({ count: 0 });
  });

  it('answers 422 to a range of more than POSTBACK_REPLAY_MAX deliveries, and replays none of them', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const createdAt = new Date().toISOString();
    await log.insert(
      partnerId,
      Array.from({ length: 101 }, () => ({ createdAt, status: 'held' })),
    );
    expect(await log.replayRange(partnerId, aroundNow())).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'to' }] },
    });
    expect(await log.walk(partnerId, { status: 'held' })).toHaveLength(101);
    expect(endpoint.received).toEqual([]);
  });

  it('sends each delivery once under two concurrent replays [deliveries.replay-range]', async () => {
    const { partnerId, sales } = await withHeld(20);
    const both = await Promise.all([log.replayRange(partnerId, aroundNow()), log.replayRange(partnerId, aroundNow())]);
    expect(both.reduce((sum, { body }) => sum + (body['count'] as number), 0)).toBe(20);
    for (const { oid } of sales) await log.settled(oid, 'delivered');
    expect(endpoint.received).toHaveLength(20);
  });

  it('sends the unlocked deliveries immediately, and a locked delivery when its lock is released', async () => {
    const { partnerId, sales } = await withHeld(20);
    const { replaying } = await whileLocked(partnerId, async () => {
      // The replay is not awaited here, because it can replay the locked delivery only after the lock is released.
      const started = log.replayRange(partnerId, aroundNow());
      await eventually(() => expect(endpoint.received).toHaveLength(19));
      return { replaying: started };
    });
    expect((await replaying).body).toEqual({ count: 20 });
    for (const { oid } of sales) await log.settled(oid, 'delivered');
  });

  it('sends the remaining deliveries when it is repeated after an interruption [deliveries.replay-range]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const large = await Dispatcher.start({ POSTBACK_REPLAY_MAX: '5000' }, dispatcher.database);
    try {
      const replays = new DeliveryLog(large);
      const createdAt = new Date().toISOString();
      await log.insert(
        partnerId,
        Array.from({ length: 2_000 }, () => ({ createdAt, status: 'held' })),
      );
      // The trigger ends the connection when the 1,500th row is replayed.
      await dispatcher.database.query(
        `update postback.delivery set oid = 'cut' where id = (
           select id from postback.delivery where partner_id = $1 order by created_at, id offset 1499 limit 1)`,
        [partnerId],
      );
      await dispatcher.database.query(`
        create function postback.cut() returns trigger language plpgsql as
          $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
        create trigger cut before update on postback.delivery for each row when (new.oid = 'cut') execute function postback.cut()`);
      const cut = await replays.replayRange(partnerId, aroundNow());
      // Only the trigger's function is replaced. Dropping the trigger would wait for, and block, the deliveries that are being sent.
      await dispatcher.database.query(`
        create or replace function postback.cut() returns trigger language plpgsql as $$ begin return new; end $$`);
      expect(cut).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      const { body } = await replays.replayRange(partnerId, aroundNow());
      // The first replay had committed seven parts of 200 deliveries, so 600 of the 2,000 were left.
      expect(body['count']).toBe(600);
      await eventually(() => expect(endpoint.received).toHaveLength(2_000), { timeoutMs: 30_000 });
    } finally {
      await large.stop();
    }
  });

  it('causes no deadlock and no second request while sales arrive and results are stored', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [before] = await dispatcher.database.query<{ deadlocks: string }>(DEADLOCKS);
    const sales = Array.from({ length: 200 }, () => saleOf(partnerId));
    const publishing = (async () => {
      for (let index = 0; index < sales.length; index += 10) {
        // In this test, a replay of more than 100 deliveries is refused. Without this wait, more deliveries could be pending on a busy
        // machine.
        const earlier = sales[index - 50];
        if (earlier !== undefined) await log.settled(earlier.oid, 'delivered');
        await dispatcher.publish(...sales.slice(index, index + 10));
      }
    })();
    const answers = [];
    for (let round = 0; round < 10; round++) {
      // Some of the deliveries in the range are being sent at this moment.
      answers.push((await log.replayRange(partnerId, { ...aroundNow(), status: 'pending' })).status);
      answers.push((await log.replayRange(partnerId, aroundNow())).status);
    }
    await publishing;
    expect(new Set(answers)).toEqual(new Set([202]));
    for (const { oid } of sales) await log.settled(oid, 'delivered');
    for (const { oid } of sales) expect(endpoint.about(oid)).toHaveLength(1);
    expect(await dispatcher.database.query(DEADLOCKS)).toEqual([before]);
  });
});
