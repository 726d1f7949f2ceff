import type { EntityManager } from 'typeorm';

/**
 * Returns the sessions that wait for a lock. Within a transaction, Postgres reads pg_stat_activity once and then repeats the snapshot, so
 * the snapshot is cleared first.
 */
export async function sessionsAtLock(manager: EntityManager): Promise<object[]> {
  await manager.query(`select pg_stat_clear_snapshot()`);
  return manager.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
}
