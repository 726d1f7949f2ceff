import { createDataSource } from '@tandem/database';
import { ageTable, buffersRead, eventually, shiftClock } from '@tandem/testing';
import { Client } from 'pg';
import { PostbackDispatcherConfig } from '../src/config';
import { PartitionRepository } from '../src/delivery/partition.repository';
import { PartitionService } from '../src/delivery/partition.service';
import { DeliveryLog } from './delivery-log';
import { Dispatcher } from './dispatcher';

const DAY_MS = 86_400_000;

describe('partitions of deliveries and attempts', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterEach(() => jest.useRealTimers());
  afterAll(() => dispatcher?.stop());

  const names = async (table: string): Promise<string[]> => {
    const rows = await dispatcher.database.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass order by 1`,
      [`postback.${table}`],
    );
    return rows.map(({ name }) => name);
  };
  const add = (status: string, age: number): Promise<unknown> =>
    dispatcher.database.query(
      `insert into postback.delivery
         (id, created_at, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       values (gen_random_uuid(), now() + $1 * interval '1 day', 'p', 'live', gen_random_uuid(), 'o', 'e', '{}', $2,
         case when $2 = 'pending' then now() + interval '1 year' end)`,
      [age, status],
    );
  const maintainIn = (days: number): Promise<void> =>
    dispatcher.running.nest.get(PartitionService, { strict: false }).maintain(new Date(Date.now() + days * DAY_MS));

  it('exist before the first sale, and are created in advance', async () => {
    expect((await names('delivery')).length).toBeGreaterThanOrEqual(5);
    expect((await names('attempt')).length).toBeGreaterThanOrEqual(5);
    await add('delivered', 0);
    await add('delivered', 27);
    const before = await names('delivery');
    await maintainIn(14);
    expect((await names('delivery')).length).toBe(before.length + 2);
  });

  it('are not dropped early when the clock of the process is ahead', async () => {
    const before = await names('delivery');
    shiftClock(300 * DAY_MS);
    await dispatcher.running.nest.get(PartitionService, { strict: false }).maintain();
    expect(await names('delivery')).toEqual(before);
  });

  it('are dropped when all their rows are older than the retention, unless they have pending deliveries', async () => {
    const [oldest, second] = await names('delivery');
    await add('pending', 0);
    await maintainIn(140);
    const left = await names('delivery');
    expect(left).not.toContain(oldest);
    const [{ partition } = { partition: '' }] = await dispatcher.database.query<{ partition: string }>(
      `select tableoid::regclass::text as partition from postback.delivery where status = 'pending'`,
    );
    expect(left.map((name) => `postback.${name}`)).toContain(partition);
    const [{ count } = { count: 0 }] = await dispatcher.database.query<{ count: number }>(
      `select count(*)::int as count from postback.delivery where status = 'delivered'`,
    );
    expect(count).toBeLessThan(2);
    expect(second).toBeDefined();
  });

  it('are dropped without blocking readers and writers of the table, however long a reader takes', async () => {
    // The first partition has pending deliveries, so the second partition is the oldest that can be dropped.
    const [, oldest] = await names('delivery');
    const reader = new Client({ connectionString: dispatcher.database.superuserUrl });
    await reader.connect();
    await reader.query('begin; select from postback.delivery limit 1');
    const maintaining = maintainIn(250);
    await eventually(async () => {
      const waiting = await dispatcher.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting.length).toBeGreaterThan(0);
    });
    const log = new DeliveryLog(dispatcher);
    const impatient = `set lock_timeout = '100ms'; select from postback.delivery limit 1; reset lock_timeout`;
    await dispatcher.database.query(impatient);
    await log.sales('a-partner-without-an-endpoint', 1, 'held');
    await reader.query('commit');
    await reader.end();
    await maintaining;
    expect(await names('delivery')).not.toContain(oldest);
  });

  it('are dropped by the next run of the maintenance if the previous run was killed', async () => {
    const [oldest, first, second] = await names('delivery');
    const reader = new Client({ connectionString: dispatcher.database.superuserUrl });
    await reader.connect();
    // A killed run can leave two states: `first` is detached but not dropped, and the detachment of `second` was interrupted.
    await dispatcher.database.query(`alter table postback.delivery detach partition postback.${first}`);
    await reader.query('begin; select from postback.delivery limit 1');
    const cut = new Client({ connectionString: dispatcher.database.superuserUrl });
    await cut.connect();
    await cut.query(`set statement_timeout = '300ms'`);
    const detach = `alter table postback.delivery detach partition postback.${second} concurrently`;
    await expect(cut.query(detach)).rejects.toThrow('statement timeout');
    await Promise.all([cut.end(), reader.query('commit').then(() => reader.end())]);
    // Now no partition has pending deliveries, so the maintenance also drops `oldest`. It must finish the detachment of `second` first,
    // because Postgres allows only one unfinished detachment for each table.
    await dispatcher.database.query(
      `update postback.delivery set status = 'delivered', next_attempt_at = null where status = 'pending'`,
    );
    await maintainIn(300);
    const dropped = [oldest, first, second];
    const rows = await dispatcher.database.query(`select from pg_class where relname = any ($1)`, [dropped]);
    expect(rows).toEqual([]);
  });
});

describe('rows of sale_delivery whose deliveries were dropped', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterAll(() => dispatcher?.stop());

  it('are deleted without reading the rows of newer sales, even when pages of the table were reused', async () => {
    const { database, running } = dispatcher;
    const url = database.urlFor('postback');
    const single = await createDataSource({ url, applicationName: 'retention', poolMax: 1 }).initialize();
    try {
      const partitions = new PartitionRepository(single, running.nest.get(PostbackDispatcherConfig));
      const before = new Date(Date.now() - 100 * DAY_MS);
      const forget = (): Promise<void> => partitions.forgetSales(before, new Date(0), () => false);
      const insert = `insert into postback.sale_delivery (oid, environment, delivery_id, created_at)
        select 'aged-' || n, 'live', gen_random_uuid(), now() - $3 * interval '1 day' from generate_series($1::int, $2::int) n`;
      const { old, pages } = await ageTable(database, { table: 'postback.sale_delivery', insert }, forget);
      const buffers = await buffersRead(single, 'sale_delivery', forget);
      expect(pages).toBeGreaterThan(1_000);
      expect(buffers).toBeLessThan(20 * old);
      const left = await database.query(
        `select from postback.sale_delivery where created_at < now() - interval '100 days'`,
      );
      expect(left).toEqual([]);
    } finally {
      await single.destroy();
    }
  });
});
