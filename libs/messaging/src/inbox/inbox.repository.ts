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
