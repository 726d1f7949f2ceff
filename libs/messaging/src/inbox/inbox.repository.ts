import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';

/**
 * Creates the SQL by which a statement claims the events of a relation `(id)`: it inserts inbox rows, which record that
 * the consumer has handled these events. The rows are inserted in a fixed order, so that overlapping batches cannot
 * deadlock. The SQL returns the `event_id` of each new event; the other events were already handled, or are dead
 * letters that have not been replayed.
 *
 * @param consumer SQL of the consumer's name, for example `$1`
 * @param received SQL of the relation, for example `unnest($2::uuid[]) AS received (id)`; its name must be `received`
 */
export const claimExpression = (consumer: string, received: string): string =>
  `INSERT INTO inbox (consumer, event_id) SELECT ${consumer}::text, id FROM ${received}
   WHERE NOT EXISTS (SELECT 1 FROM dead_letter WHERE consumer = ${consumer} AND event_id = received.id
                     AND replayed_at IS NULL)
   ORDER BY id ON CONFLICT DO NOTHING RETURNING event_id`;

/**
 * Records, in the handler's transaction, that this consumer has handled the events. If another process is handling one
 * of the events, this statement waits until that process has ended its transaction.
 *
 * @returns ids of the new events
 */
export async function claimEvents(
  manager: EntityManager,
  consumer: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  const rows = await queryPrepared<{ event_id: string }>(
    runnerOf(manager),
    'inbox-claim',
    claimExpression('$1', 'unnest($2::uuid[]) AS received (id)'),
    [consumer, eventIds],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
