import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { isLockTimeout } from './errors';
import type { MigrationClass } from './migration-class';

/**
 * How long a migration waits for a table's lock before it pauses and tries again. While a statement of the migration waits
 * for the lock, later statements of the app that conflict with it wait too. During the pause, they can run.
 */
const TABLE_LOCK_TIMEOUT_MS = 1_000;
const TABLE_LOCK_PAUSE_MS = 1_000;
const TABLE_LOCK_ATTEMPTS = 300;

/**
 * Returns the migration with a limit for each of its waits for a lock. Exception: in a migration without a transaction,
 * statements with `concurrently` have neither this limit nor a time limit, because apps can read and write while such a
 * statement runs or waits.
 */
export function withLockTimeout(Migration: MigrationClass): MigrationClass {
  class Limited extends Migration {
    override async up(runner: QueryRunner): Promise<void> {
      if (!runner.isTransactionActive) return super.up(limitingWaits(runner));
      await runner.query(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
      await super.up(runner);
    }
  }
  // If a migration has no property `name`, TypeORM takes the migration's name and timestamp from the name of its class.
  return Object.defineProperty(Limited, 'name', { value: Migration.name });
}

/**
 * Returns a runner whose `query` limits the lock waits of each statement without `concurrently`, and removes the time
 * limit of each statement with `concurrently`.
 */
function limitingWaits(runner: QueryRunner): QueryRunner {
  const query = async (statement: string, ...rest: unknown[]): Promise<unknown> => {
    const isConcurrent = /\bconcurrently\b/i.test(statement);
    const [setting, ms] = isConcurrent ? ['statement_timeout', 0] : ['lock_timeout', TABLE_LOCK_TIMEOUT_MS];
    await runner.query(`set ${setting} = ${ms}`);
    try {
      return await runner.query(statement, ...(rest as [unknown[]?]));
    } finally {
      await runner.query(`reset ${setting}`);
    }
  };
  return Object.assign(Object.create(runner) as QueryRunner, { query });
}

/**
 * Runs the pending migrations. If a migration fails because a table is locked, it is tried again after a pause. The
 * earlier migrations are not run again, because they are committed and recorded.
 *
 * @param schema named in errors
 * @param onLocked called once, after the first attempt found a table locked
 * @returns the migrations that were pending, in order
 * @throws an error that names the migration that failed, with the error of Postgres as its `cause`. A lock timeout is
 *   thrown only after the last attempt
 */
export async function runUnlessLocked(source: DataSource, schema: string, onLocked: () => void): Promise<Migration[]> {
  const pending = await new MigrationExecutor(source).getPendingMigrations();
  for (let attempt = 1; ; attempt++) {
    try {
      await source.runMigrations({ transaction: 'each' });
      return pending;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === TABLE_LOCK_ATTEMPTS) throw await namingMigration(error, source, schema);
      if (attempt === 1) onLocked();
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}

/** Returns the error with the name of the migration that failed, or the error itself if Postgres does not answer any more. */
async function namingMigration(error: unknown, source: DataSource, schema: string): Promise<unknown> {
  // The migrations before the failed one are committed and recorded, so the failed one is the first that is pending.
  const [failed] = await new MigrationExecutor(source).getPendingMigrations().catch(() => []);
  if (!failed || !(error instanceof Error)) return error;
  const text = `${schema}: the migration ${failed.name} failed: ${error.message}. See docs/releases.md`;
  return new Error(text, { cause: error });
}
