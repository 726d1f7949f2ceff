import type { Pool } from 'pg';

/** Removes what is older than the bus keeps (`bus.retention`), in small transactions. */
export async function pruneEventLog(pool: Pool): Promise<void> {
  let more = true;
  while (more) {
    const { rows } = await pool.query<{ more: boolean }>('SELECT bus.prune() AS more');
    more = rows[0]?.more === true;
  }
}
