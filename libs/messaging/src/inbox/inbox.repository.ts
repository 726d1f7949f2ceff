import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';

/**
 * Records, in the handler's transaction, that this consumer has handled the events. While another process handles one of them,
 * it waits for that commit. Rows are written in one order, so that two batches that overlap cannot deadlock.
 *
 * @returns ids of the events that are new; the others were handled before, or are dead letters that were not replayed
 */
export async function claimEvents(
  manager: EntityManager,
  consumer: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  const rows = await queryPrepared<{ event_id: string }>(
    runnerOf(manager),
    'inbox-claim',
    `INSERT INTO inbox (consumer, event_id) SELECT $1::text, id FROM unnest($2::uuid[]) AS received (id)
     WHERE NOT EXISTS (SELECT 1 FROM dead_letter WHERE consumer = $1 AND event_id = received.id
                       AND replayed_at IS NULL)
     ORDER BY id ON CONFLICT DO NOTHING RETURNING event_id`,
    [consumer, eventIds],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

/** Removes up to `limit` rows of events that were handled more than so many days ago. @returns how many */
export async function deleteOldInboxRows(manager: EntityManager, days: number, limit: number): Promise<number> {
  const [, deleted] = (await manager.query(
    `DELETE FROM inbox WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM inbox WHERE handled_at < now() - $1 * interval '1 day' LIMIT $2))`,
    [days, limit],
  )) as [unknown, number];
  return deleted;
}
