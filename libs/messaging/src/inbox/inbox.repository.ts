import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';

/**
 * Notes, in the handler's transaction, that this consumer has handled the event. While another process handles the same
 * event this waits for its commit.
 *
 * @returns false when it was handled before, or set aside as a dead letter: there is nothing to do
 */
export async function claimEvent(manager: EntityManager, consumer: string, eventId: string): Promise<boolean> {
  const rows = await queryPrepared(
    runnerOf(manager),
    'inbox-claim',
    `INSERT INTO inbox (consumer, event_id) SELECT $1::text, $2::uuid
     WHERE NOT EXISTS (SELECT 1 FROM dead_letter WHERE consumer = $1 AND event_id = $2)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [consumer, eventId],
  );
  return rows.length > 0;
}

/** The same for the replay of a dead letter. @returns false when the event was handled before */
export async function claimReplay(manager: EntityManager, consumer: string, eventId: string): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    'INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
    [consumer, eventId],
  );
  return rows.length > 0;
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
