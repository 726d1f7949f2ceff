import type { EntityManager } from 'typeorm';

/**
 * Returns the database's time. Use it for decisions that must not depend on the clock of one replica, for example which
 * rows are old enough to be deleted.
 *
 * @param runner a data source, or the manager of a transaction
 */
export async function readClock(runner: Pick<EntityManager, 'query'>): Promise<Date> {
  const [row] = await runner.query<[{ now: Date }]>('select clock_timestamp() as now');
  return row.now;
}
