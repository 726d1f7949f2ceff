import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { isLockTimeout } from './errors';
import type { MigrationClass } from './migration-class';

/**
 * While a statement waits for a table's lock, all later statements on that table wait behind it. So a migration waits only for a short
 * time, lets the app continue, and tries again.
 */
const TABLE_LOCK_TIMEOUT_MS = 1_000;
const TABLE_LOCK_PAUSE_MS = 1_000;
const TABLE_LOCK_ATTEMPTS = 300;

/**
 * Limits each of the migration's waits for a lock. A migration without a transaction creates or drops an index
 * concurrently, so others can read and write while it waits: its waits are not limited.
 */
export function withLockTimeout(Migration: MigrationClass): MigrationClass {
  class Limited extends Migration {
    override async up(runner: QueryRunner): Promise<void> {
      if (runner.isTransactionActive) await runner.query(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
      await super.up(runner);
    }
  }
  // TypeORM stores the class's name and reads its time from it.
  return Object.defineProperty(Limited, 'name', { value: Migration.name });
}

/**
 * Runs the pending migrations, and retries when a table was locked: the migrations that already ran are committed and recorded.
 *
 * @param onLocked called once, at the first locked table
 * @returns the migrations that were pending, in order
 * @throws the error of the lock when the table stayed locked during every attempt
 */
export async function runUnlessLocked(source: DataSource, onLocked: () => void): Promise<Migration[]> {
  const pending = await new MigrationExecutor(source).getPendingMigrations();
  for (let attempt = 1; ; attempt++) {
    try {
      await source.runMigrations({ transaction: 'each' });
      return pending;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === TABLE_LOCK_ATTEMPTS) throw error;
      if (attempt === 1) onLocked();
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}
