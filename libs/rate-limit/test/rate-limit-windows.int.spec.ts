import { createDataSource, isDatabaseUnavailable, migrateSchema } from '@tandem/database';
import {
  buffersRead,
  createTestDatabase,
  eventually,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  uniqueId,
} from '@tandem/testing';
import { Client } from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { quotaOf, RATE_LIMIT_MIGRATIONS, RateLimits } from '../src';
import { RateLimitRepository } from '../src/rate-limit.repository';

async function migrate(superuserUrl: string): Promise<void> {
  const options = { superuserUrl, rolePassword: TEST_ROLE_PASSWORD, schema: 'sample' };
  await migrateSchema({ ...options, migrations: RATE_LIMIT_MIGRATIONS });
}

/** The table of an older installation. */
class FormerTable1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create unlogged table rate_limit_window (token_id text primary key)`);
    await runner.query(`
      create function reserve_permits(text, text, integer, integer, integer, integer)
      returns table (granted integer, remaining integer, reset_ms double precision)
      language sql as $$ select 1, 1, 1.0::double precision $$`);
  }
  async down(): Promise<void> {
    throw new Error('not used');
  }
}

describe('the shared count of a caller', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let windows: RateLimitRepository;
  let caller: string;
  const reserve = (limit: number, waiting = 1) =>
    windows.reserve(caller, quotaOf('checkout', { limit, windowSeconds: 60 }), waiting);

  /** Moves all counted permits of the caller into the past. */
  const pass = (seconds: number) =>
    database.query(
      `update sample.rate_limit_window
          set times = array(select at - make_interval(secs => $2) from unnest(times) as at order by at)
        where caller = $1`,
      [caller, seconds],
    );

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'service-defaults-rate-limits-1', prepare: migrate });
    dataSource = await createDataSource({ url: database.urlFor('sample'), applicationName: 'test' }).initialize();
    windows = new RateLimitRepository(dataSource.manager);
  });
  beforeEach(() => {
    caller = uniqueId('caller');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('grants a batch or, if more requests wait than a batch has permits, one permit for each of them', async () => {
    expect(await reserve(600)).toMatchObject({ granted: 6, remaining: 594 });
    expect(await reserve(600)).toMatchObject({ granted: 6, remaining: 588 });
    expect(await reserve(600, 50)).toMatchObject({ granted: 50, remaining: 538 });
  });

  it('grants smaller batches when few permits are left, and never more than the limit', async () => {
    expect(await reserve(600, 560)).toMatchObject({ granted: 560, remaining: 40 });
    expect(await reserve(600)).toMatchObject({ granted: 4, remaining: 36 });
    expect(await reserve(600, 27)).toMatchObject({ granted: 27, remaining: 9 });
    expect(await reserve(600)).toMatchObject({ granted: 1, remaining: 8 });
    expect(await reserve(600, 50)).toMatchObject({ granted: 8, remaining: 0 });
    expect(await reserve(600, 50)).toMatchObject({ granted: 0, remaining: 0 });
  });

  it('is a sliding window: permits granted late in one minute still count early in the next', async () => {
    expect(await reserve(30, 10)).toMatchObject({ granted: 10, remaining: 20 });
    await pass(50);
    expect(await reserve(30, 20)).toMatchObject({ granted: 20, remaining: 0 });
    const full = await reserve(30);
    expect(full).toMatchObject({ granted: 0, remaining: 0 });
    expect(full.resetMs).toBeGreaterThan(0);
    expect(full.resetMs).toBeLessThanOrEqual(10_000);
    await pass(full.resetMs / 1000);
    // The first ten permits have left the window, and the other twenty have not.
    expect(await reserve(30, 30)).toMatchObject({ granted: 10, remaining: 0 });
    expect((await reserve(30)).granted).toBe(0);
    await pass(60);
    expect(await reserve(30, 30)).toMatchObject({ granted: 30, remaining: 0 });
  });

  it('returns the time until a permit is free, even after the limit was lowered', async () => {
    await reserve(30, 20);
    await pass(20);
    await reserve(30, 10);
    await pass(20);
    // The limit is now 10. A permit is free only when the ten permits from twenty seconds ago have left the window as well.
    const { granted, remaining, resetMs } = await reserve(10);
    expect({ granted, remaining }).toEqual({ granted: 0, remaining: 0 });
    expect(resetMs).toBeGreaterThan(30_000);
    expect(resetMs).toBeLessThanOrEqual(40_000);
  });

  it('never makes a caller wait longer than a window when the clock was set back', async () => {
    await reserve(30, 30);
    await pass(-86_400);
    const { granted, resetMs } = await reserve(30);
    expect(granted).toBe(0);
    expect(resetMs).toBeLessThanOrEqual(60_000);
    await pass(60);
    expect((await reserve(30)).granted).toBe(1);
  });

  it('stays a small row when many permits are counted', async () => {
    for (let second = 0; second < 100; second++) {
      for (let time = 0; time < 3; time++) await reserve(10_000);
      await pass(1);
    }
    const [row] = await database.query<{ entries: number; bytes: number }>(
      `select cardinality(times) as entries, pg_column_size(w) as bytes from sample.rate_limit_window w where caller = $1`,
      [caller],
    );
    expect(row?.entries).toBeGreaterThan(30);
    // Each second adds one entry, or two if a new second begins between the calls.
    expect(row?.entries).toBeLessThanOrEqual(122);
    expect(row?.bytes).toBeLessThan(2000);
  });

  it('grants exactly the limit to concurrent requests [limits.shared]', async () => {
    const grants = await Promise.all(Array.from({ length: 200 }, () => reserve(600, 5)));
    expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(600);
  });

  it('fails within 5 s when the table is locked, because all requests of a caller wait for one answer', async () => {
    const client = new Client({ connectionString: database.superuserUrl });
    await client.connect();
    try {
      await client.query('begin; lock table sample.rate_limit_window in access exclusive mode');
      const began = performance.now();
      const failure = await reserve(30).catch((error: unknown) => error);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(isDatabaseUnavailable(failure)).toBe(true);
    } finally {
      await client.end();
    }
    expect(await reserve(30)).toMatchObject({ granted: 1 });
  });

  it('is kept for the longest window of all policies when its own policy no longer exists', async () => {
    const rows = async () =>
      (await database.query(`select from sample.rate_limit_window where caller = $1`, [caller])).length;
    await reserve(30);
    await pass(61);
    const other = { policy: 'other', windowSeconds: 60 };
    await windows.deleteIdle([other, { policy: 'read', windowSeconds: 86_400 }]);
    expect(await rows()).toBe(1);
    await windows.deleteIdle([{ ...other, windowSeconds: 86_400 }]);
    expect(await rows()).toBe(1);
    await windows.deleteIdle([other, { policy: 'read', windowSeconds: 60 }]);
    expect(await rows()).toBe(0);
  });

  it('is deleted only when none of its permits is counted any more', async () => {
    const rows = async () =>
      (await database.query(`select from sample.rate_limit_window where caller = $1`, [caller])).length;
    await reserve(30);
    await pass(59);
    const policies = [
      { policy: 'checkout', windowSeconds: 60 },
      { policy: 'other', windowSeconds: 86_400 },
    ];
    await windows.deleteIdle(policies);
    expect(await rows()).toBe(1);
    await pass(2);
    await windows.deleteIdle(policies);
    expect(await rows()).toBe(0);
    expect(await reserve(30, 30)).toMatchObject({ granted: 30, remaining: 0 });
  });

  describe('when many callers are idle', () => {
    const policies = [{ policy: 'checkout', windowSeconds: 60 }];
    const fill = (count: number) =>
      database.query(
        `insert into sample.rate_limit_window
         select $1 || to_char(n, 'fm00000'), 'checkout', array[now() - interval '2 minutes'], array[1], 1 from generate_series(1, $2::int) n`,
        [caller, count],
      );
    const rows = async () =>
      (await database.query(`select from sample.rate_limit_window where starts_with(caller, $1)`, [caller])).length;

    // Rows of earlier tests can become idle at any time.
    beforeEach(() => database.query('delete from sample.rate_limit_window'));

    it('is deleted in small transactions, so that a caller can reserve while idle rows of other callers are deleted', async () => {
      await fill(2_500);
      const lock = new Client({ connectionString: database.superuserUrl });
      await lock.connect();
      await lock.query('select pg_advisory_lock(1)');
      // The deletion of a row in the second thousand waits until the lock is released.
      await database.query(`
        create function sample.wait() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return old; end $$`);
      await database.query(`
        create trigger wait before delete on sample.rate_limit_window
        for each row when (old.caller = '${caller}01500') execute function sample.wait()`);
      const deleting = windows.deleteIdle(policies);
      try {
        await eventually(async () => expect(await rows()).toBe(1_500));
        const quota = quotaOf('checkout', { limit: 30, windowSeconds: 60 });
        expect(await windows.reserve(`${caller}00001`, quota, 1)).toMatchObject({ granted: 1, remaining: 29 });
        expect(await rows()).toBe(1_501);
      } finally {
        await lock.end();
      }
      expect(await deleting).toBe(2_500);
      expect(await rows()).toBe(1);
    });

    it('is found in one pass over the table, even if thousands of rows are idle and many others are in use', async () => {
      const [idle, live] = [10_000, 30_000];
      // Autovacuum would read the table as well.
      await database.query('alter table sample.rate_limit_window set (autovacuum_enabled = false)');
      // The rows are not in the order of the key, so an index scan is as expensive as it can be.
      await database.query(
        `insert into sample.rate_limit_window
         select $1 || to_char(n, 'fm00000'), 'checkout', times, array_fill(1, array[60]), 1
           from generate_series(1, $2::int) n, lateral (
             select array_agg(now() - make_interval(days => case when n % 4 = 0 then 2 else 0 end, secs => 60 - s) order by s)
               from generate_series(1, 60) s) entry (times)
          order by md5(n::text)`,
        [caller, idle + live],
      );
      await database.query('analyze sample.rate_limit_window');
      const url = database.urlFor('sample');
      const single = await createDataSource({ url, applicationName: 'cleaner', poolMax: 1 }).initialize();
      try {
        const longPolicies = ['checkout', 'read', 'write'].map((policy) => ({ policy, windowSeconds: 86_400 }));
        const buffers = await buffersRead(single, 'rate_limit_window', async () => {
          expect(await new RateLimitRepository(single.manager).deleteIdle(longPolicies)).toBe(idle);
        });
        // Each row is read once, and an idle row four more times to lock and delete it: 80,000 buffers in total. If each
        // statement read and sorted the whole table, 187,000 buffers would be read.
        expect(buffers).toBeLessThan(live + 8 * idle);
      } finally {
        await single.destroy();
      }
    });

    it('is deleted in transactions of at most 1,000 rows, and the next call continues', async () => {
      await fill(2_500);
      expect(await windows.deleteIdle(policies, () => true)).toBe(1_000);
      expect(await rows()).toBe(1_500);
      expect(await windows.deleteIdle(policies)).toBe(1_500);
    });

    it('is deleted soon after the start of a process', async () => {
      await fill(1);
      const random = jest.spyOn(Math, 'random').mockReturnValue(0.01);
      const limits = new RateLimits(windows, { checkout: { limit: 30, windowSeconds: 60 } });
      limits.onModuleInit();
      random.mockRestore();
      try {
        await eventually(async () => expect(await rows()).toBe(0));
      } finally {
        await limits.beforeApplicationShutdown();
      }
    });
  });
});

describe('the migration', () => {
  it('replaces the table of an older installation of partner-gateway', async () => {
    const database = await createTestDatabase({
      template: 'service-defaults-rate-limits-former-1',
      prepare: async (superuserUrl) => {
        const options = { superuserUrl, rolePassword: TEST_ROLE_PASSWORD, schema: 'sample' };
        await migrateSchema({ ...options, migrations: [FormerTable1763800000000] });
        await migrateSchema({ ...options, migrations: RATE_LIMIT_MIGRATIONS });
      },
    });
    const dataSource = await createDataSource({ url: database.urlFor('sample'), applicationName: 'test' }).initialize();
    const quota = quotaOf('read', { limit: 10, windowSeconds: 60 });
    expect(await new RateLimitRepository(dataSource.manager).reserve('any', quota, 1)).toMatchObject({ granted: 1 });
    await dataSource.destroy();
    await database.drop();
  });
});
