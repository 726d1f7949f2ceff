import { createDataSource } from '@tandem/database';
import { buffersRead, eventually } from '@tandem/testing';
import { type Backlog, BacklogRepository } from '../src/delivery/backlog.repository';
import { DeliveryLog } from './delivery-log';
import { Dispatcher } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('the counts of undelivered deliveries', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_MEASURE_MS: '100' });
    endpoint = await EndpointServer.start();
    log = new DeliveryLog(dispatcher);
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  const numbersOf = async (one: Dispatcher): Promise<Record<string, number>> => {
    const text = await (await fetch(`${one.running.url}/metrics`)).text();
    const lines = [...text.matchAll(/^postback_((?:deliveries|endpoints_disabled|oldest)\w*)(?:\{[^}]*\})? (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name as string, Number(value)]));
  };

  it('are exported as metrics by the replica that measures them', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const now = new Date().toISOString();
    await log.insert(partnerId, [
      ...Array.from({ length: 3 }, () => ({ createdAt: now, status: 'pending' })),
      ...Array.from({ length: 2 }, () => ({ createdAt: now, status: 'held' })),
      { createdAt: now, status: 'failed' },
      { createdAt: now, status: 'delivered' },
      { createdAt: new Date(Date.now() - 600_000).toISOString(), status: 'pending' },
    ]);
    await dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() - interval '5 minutes' where created_at < now() - interval '5 minutes'`,
    );
    const gone = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(answer(410));
    await log.sales(gone.partnerId, 1, 'failed');
    await eventually(async () =>
      expect(await numbersOf(dispatcher)).toEqual({
        deliveries_pending: 4,
        deliveries_overdue: 1,
        deliveries_held: 2,
        deliveries_failed: 2,
        endpoints_disabled: 1,
        oldest_pending_seconds: expect.any(Number),
        oldest_due_seconds: expect.any(Number),
      }),
    );
    const numbers = await numbersOf(dispatcher);
    expect(Math.round((numbers['oldest_pending_seconds'] ?? 0) / 60)).toBe(10);
    expect(Math.round((numbers['oldest_due_seconds'] ?? 0) / 60)).toBe(5);
  });

  it('do not count a delivery as overdue while its endpoint is paused', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const pauseUntil = (interval: string): Promise<unknown> =>
      dispatcher.database.query(
        `update postback.endpoint set blocked_until = now() + interval '${interval}' where partner_id = '${partnerId}'`,
      );
    const measure = (): Promise<Backlog> => dispatcher.running.nest.get(BacklogRepository).measure(60);
    const before = await measure();
    await pauseUntil('1 hour');
    await log.insert(partnerId, [{ createdAt: new Date().toISOString(), status: 'pending' }]);
    await dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() - interval '5 minutes' where partner_id = '${partnerId}'`,
    );
    expect(await measure()).toMatchObject({ pending: before.pending + 1, overdue: before.overdue });
    await pauseUntil('-1 second');
    expect(await measure()).toMatchObject({ pending: before.pending + 1, overdue: before.overdue + 1 });
  });
});

const WITHOUT_AUTOVACUUM = `
  do $$ declare part regclass;
  begin
    for part in select inhrelid::regclass from pg_inherits where inhparent = 'postback.delivery'::regclass loop
      execute format('alter table %s set (autovacuum_enabled = false)', part);
    end loop;
  end $$`;

describe('a backlog of more than 100,000 deliveries', () => {
  const BEYOND = 110_000;
  let dispatcher: Dispatcher;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  // Only the database must be dropped. The test itself stops postback-dispatcher, which would otherwise send the overdue deliveries.
  afterAll(() => dispatcher?.database.drop());

  /** Inserts deliveries of a partner, a millisecond apart, starting at a given time. */
  const insert = (partnerId: string, status: string, count: number, from: string): Promise<unknown> =>
    dispatcher.database.query(
      `insert into postback.delivery (id, created_at, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select gen_random_uuid(), $4::timestamptz + n * interval '1 millisecond', $1, 'live', e.id, 'sub_' || n, 'event', '{}', $2,
         case when $2 = 'pending' then now() - interval '5 minutes' end
       from generate_series(1, $3::int) n left join postback.endpoint e on e.partner_id = $1`,
      [partnerId, status, count, from],
    );

  it('is counted up to 100,000 at a constant cost, and does not hide the overdue deliveries of another endpoint', async () => {
    const { database } = dispatcher;
    const [paused, late] = [
      await dispatcher.createEndpoint('http://127.0.0.1:9'),
      await dispatcher.createEndpoint('http://127.0.0.1:9'),
    ];
    await database.query(
      `update postback.endpoint set blocked_until = now() + interval '1 hour' where partner_id = any ($1)`,
      [[paused.partnerId, late.partnerId]],
    );
    await dispatcher.running.close();
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    for (const status of ['pending', 'held', 'failed']) await insert(paused.partnerId, status, BEYOND, anHourAgo);
    await database.query(
      `update postback.endpoint set id = 'ffffffff-ffff-4fff-8fff-ffffffffffff', blocked_until = null where partner_id = $1`,
      [late.partnerId],
    );
    await insert(late.partnerId, 'pending', 3, new Date(Date.now() - 7_200_000).toISOString());
    // The cost is the number of buffers of `delivery` and its partitions that were read. Autovacuum is disabled, because it would read
    // buffers too.
    await database.query(WITHOUT_AUTOVACUUM);
    await database.query('vacuum analyze postback.delivery');
    const url = database.urlFor('postback');
    const single = await createDataSource({ url, applicationName: 'backlog', poolMax: 1 }).initialize();
    try {
      const repository = new BacklogRepository(single);
      const backlog = await repository.measure(60);
      expect(backlog).toMatchObject({ pending: 100_000, overdue: 3, held: 100_000, failed: 100_000 });
      expect(Math.round(backlog.oldestPendingSeconds / 3_600)).toBe(2);
      expect(Math.round(backlog.oldestDueSeconds / 60)).toBe(5);
      const cost = (): Promise<number> => buffersRead(single, 'delivery%', () => repository.measure(60));
      const before = await cost();
      const now = new Date().toISOString();
      for (const status of ['held', 'failed']) await insert(paused.partnerId, status, BEYOND / 2, now);
      expect(await cost()).toBeLessThan(before * 1.1);
    } finally {
      await single.destroy();
    }
  });
});
