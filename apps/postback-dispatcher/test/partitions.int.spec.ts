import { PartitionService } from '../src/delivery/partition.service';
import { Dispatcher } from './dispatcher';

const DAY_MS = 86_400_000;

describe('partitions of deliveries and attempts', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
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

  it('are there before the first sale, and are made ahead', async () => {
    expect((await names('delivery')).length).toBeGreaterThanOrEqual(5);
    expect((await names('attempt')).length).toBeGreaterThanOrEqual(5);
    await add('delivered', 0);
    await add('delivered', 27);
    const before = await names('delivery');
    await maintainIn(14);
    expect((await names('delivery')).length).toBe(before.length + 2);
  });

  it('are dropped when all in them is older than the retention, but never with something to send', async () => {
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
});
