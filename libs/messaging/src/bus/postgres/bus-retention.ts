import type { Pool } from 'pg';

const DELETE_AT_ONCE = 5_000;

/**
 * Removes what is older than the bus keeps, oldest first and in small transactions. Offsets are in the order of time, so
 * each partition is read from its beginning only as far as it is old.
 */
export async function pruneEventLog(pool: Pool, retentionDays: number): Promise<void> {
  const { rows } = await pool.query<{ topic: string; partition: number }>(
    'SELECT topic, "partition" FROM bus.topic_partition ORDER BY topic, "partition"',
  );
  for (const { topic, partition } of rows) {
    let deleted = DELETE_AT_ONCE;
    while (deleted === DELETE_AT_ONCE) deleted = await deleteOldest(pool, topic, partition, retentionDays);
  }
}

async function deleteOldest(pool: Pool, topic: string, partition: number, retentionDays: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM bus.event_log WHERE topic = $1 AND "partition" = $2
       AND appended_at < clock_timestamp() - $3 * interval '1 day'
       AND "offset" IN (SELECT "offset" FROM bus.event_log WHERE topic = $1 AND "partition" = $2
         ORDER BY "offset" LIMIT ${DELETE_AT_ONCE})`,
    [topic, partition, retentionDays],
  );
  return rowCount ?? 0;
}
