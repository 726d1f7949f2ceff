import { createTestDatabase, eventually, type TestDatabase } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { dataSourceOptions, RECOUNT_TIMEOUT_MS, RecountTooLongError, recountStatistics, StatisticTable } from '../src';

const TABLE = new StatisticTable('counter', ['partner_id'], ['total']);

describe('recountStatistics', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
    await database.query(
      'create table counter (partner_id text, slot int, total bigint not null, primary key (partner_id, slot))',
    );
    const options = dataSourceOptions({ url: database.superuserUrl, applicationName: 'test' });
    // All other statements have a much shorter time limit than a recount.
    const extra = { ...(options.extra as object), statement_timeout: 100, query_timeout: 200 };
    source = await new DataSource({ ...options, extra } as typeof options).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const recountsOf = (seconds: number) => ({
    ...TABLE.recounts(
      `select $1::text as partner_id, 7::bigint as total from (select pg_sleep(${seconds})) as slept`,
      'partner_id = $1',
    ),
    table: `counter of ${seconds} s`,
  });
  const recount = (seconds: number, values: unknown[] | null = ['p']): Promise<number> =>
    source.transaction((manager) => recountStatistics(manager, recountsOf(seconds), values));
  const stored = () => database.query('select partner_id, sum(total)::int as total from counter group by 1 order by 1');

  it('may take longer than the time limits that server and client have for other statements', async () => {
    expect(await recount(0.4)).toBe(1);
    expect(await recount(0, null)).toBe(1);
    expect(await stored()).toEqual([
      { partner_id: '*', total: 7 },
      { partner_id: 'p', total: 7 },
    ]);
  });

  it('adds a difference only once when two recounts start at the same time', async () => {
    await database.query('delete from counter');
    const corrected = await Promise.all([recount(0.4), recount(0.4)]);
    expect(corrected.sort()).toEqual([0, 1]);
    expect(await stored()).toEqual([{ partner_id: 'p', total: 7 }]);
  });

  it('throws RecountTooLongError when the recount takes too long, and changes nothing', async () => {
    await database.query('delete from counter');
    const canceled = recount(60).catch((reason: unknown) => reason);
    // The test cancels the statement instead of waiting for the time limit: the error has the same code.
    await eventually(async () => {
      const running = `select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'test' and wait_event = 'PgSleep'`;
      expect(await database.query(running)).toHaveLength(1);
    });
    const error = await canceled;
    expect(error).toBeInstanceOf(RecountTooLongError);
    expect((error as Error).message).toContain(`longer than ${RECOUNT_TIMEOUT_MS / 1_000} s`);
    expect(await stored()).toEqual([]);
  });
});
