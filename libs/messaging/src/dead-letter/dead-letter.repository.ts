import { deadLetterTopicOf } from '@tandem/contracts';
import { type IncomingMessage, restoreParts, storableParts, type StorableParts } from '@tandem/event-bus';
import type { EntityManager } from 'typeorm';
import { insertOutboxRows, type NewOutboxRow } from '../outbox/outbox.repository';

export interface Failure {
  readonly consumer: string;
  readonly eventId: string;
  readonly reason: string;
  readonly attempts: number;
}

/** A dead letter with a requested replay. */
export interface ReplayRequest {
  readonly id: string;
  readonly eventId: string;
  readonly message: IncomingMessage;
}

/**
 * Stores a message as a dead letter, in the transaction of `manager`: inserts a row in `dead_letter`, and adds the
 * message with the reason to the outbox, for the topic `<topic>.dlq`. Does nothing in two cases:
 *
 * - The inbox has the event, because another process has handled the event and committed meanwhile.
 * - The consumer already has a dead letter with this event id that was not replayed.
 *
 * A replayed dead letter of the consumer with this event id is overwritten if the inbox no longer has the event. The
 * row gets a new id, so that it is listed as the newest.
 *
 * @param parts the stored form of key and headers
 * @returns whether the message was stored
 */
export async function insertDeadLetter(
  manager: EntityManager,
  message: IncomingMessage,
  failure: Failure,
  parts: StorableParts = storableParts(message),
): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO dead_letter
       (consumer, event_id, topic, "partition", "offset", key, headers, raw, payload, reason, attempts)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
     WHERE NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = $2)
     ON CONFLICT (consumer, event_id) DO UPDATE SET
       id = DEFAULT,
       (topic, "partition", "offset", key, headers, raw, payload, reason, attempts, failed_at, replay_requested_at, replayed_at) =
       (excluded.topic, excluded."partition", excluded."offset", excluded.key, excluded.headers, excluded.raw,
        excluded.payload, excluded.reason, excluded.attempts, clock_timestamp(), NULL, NULL)
     WHERE dead_letter.replayed_at IS NOT NULL
     RETURNING 1`,
    [
      failure.consumer,
      failure.eventId,
      message.topic,
      message.partition,
      message.offset,
      parts.key,
      JSON.stringify(parts.headers),
      parts.raw === null ? null : JSON.stringify(parts.raw),
      message.value,
      failure.reason,
      failure.attempts,
    ],
  );
  if (rows.length === 0) return false;
  await insertOutboxRows(manager, [deadLetterRow(message, failure, parts)]);
  return true;
}

/**
 * Returns the outbox row that publishes the message to its dead-letter topic. A key or header that is in `dlq_raw` is
 * not repeated as text, because the size of a message is limited.
 */
function deadLetterRow(message: IncomingMessage, failure: Failure, { key, headers, raw }: StorableParts): NewOutboxRow {
  const texts = Object.entries(headers).filter(([name]) => raw?.headers?.[name] === undefined);
  return {
    eventId: failure.eventId,
    topic: deadLetterTopicOf(message.topic),
    key: (raw?.key === undefined ? key : null) ?? failure.eventId,
    value: message.value ?? Buffer.alloc(0),
    headers: {
      ...Object.fromEntries(texts),
      ...(raw && { dlq_raw: JSON.stringify(raw) }),
      dlq_reason: failure.reason,
      dlq_consumer: failure.consumer,
      dlq_attempts: String(failure.attempts),
      dlq_original_topic: message.topic,
      dlq_original_partition: String(message.partition),
      dlq_original_offset: message.offset,
      dlq_failed_at: new Date().toISOString(),
    },
  };
}

interface ReplayRow extends StorableParts, Pick<IncomingMessage, 'topic' | 'partition' | 'offset' | 'value'> {
  readonly id: string;
  readonly event_id: string;
}

/** How much one read of dead letters returns at most. */
export interface ReplayLimits {
  readonly rows: number;
  /** The read ends with the dead letter at which the total size of the payloads reaches this number of bytes. */
  readonly bytes: number;
}

/**
 * Returns a consumer's oldest dead letters with a requested replay, except those that another process is handling.
 */
export async function findReplayRequests(
  manager: EntityManager,
  consumer: string,
  { rows: limit, bytes }: ReplayLimits,
): Promise<ReplayRequest[]> {
  const rows: ReplayRow[] = await manager.query(
    `WITH free AS MATERIALIZED (
       SELECT id, coalesce(octet_length(payload), 0) AS bytes FROM dead_letter
       WHERE consumer = $1 AND replay_requested_at IS NOT NULL ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED),
     sized AS (SELECT id, sum(bytes) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM free)
     SELECT id, event_id, topic, "partition", "offset", key, headers, raw, payload AS value
     FROM dead_letter JOIN sized USING (id) WHERE bytes_before < $3 ORDER BY id`,
    [consumer, limit, bytes],
  );
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    message: {
      topic: row.topic,
      partition: row.partition,
      offset: row.offset,
      value: row.value,
      ...restoreParts(row),
    },
  }));
}

/** A dead letter whose replay this transaction has marked as done. */
export interface TakenReplay {
  readonly id: string;
  readonly eventId: string;
}

/**
 * Marks requested replays as done, in the transaction that handles their events.
 *
 * @returns the dead letters that this transaction must handle; the other replays are no longer requested, or another
 *   process handles them
 */
export async function takeReplays(manager: EntityManager, ids: readonly string[]): Promise<TakenReplay[]> {
  const [rows] = (await manager.query(
    `UPDATE dead_letter SET replayed_at = clock_timestamp(), replay_requested_at = NULL WHERE id IN (
       SELECT id FROM dead_letter WHERE id = ANY ($1::bigint[]) AND replay_requested_at IS NOT NULL
       ORDER BY id FOR UPDATE SKIP LOCKED)
     RETURNING id, event_id AS "eventId"`,
    [ids],
  )) as [TakenReplay[], number];
  return rows;
}

const COUNT_UP_TO = 100_000;

/** @returns the number of dead letters that were not replayed, by topic, counted up to 100,000 each */
export async function countDeadLetters(manager: EntityManager): Promise<ReadonlyMap<string, number>> {
  const rows: { topic: string; count: number }[] = await manager.query(
    `WITH RECURSIVE found (topic) AS (
       (SELECT topic FROM dead_letter WHERE replayed_at IS NULL ORDER BY topic LIMIT 1)
       UNION ALL
       SELECT (SELECT d.topic FROM dead_letter d WHERE d.replayed_at IS NULL AND d.topic > f.topic ORDER BY d.topic LIMIT 1)
       FROM found f WHERE f.topic IS NOT NULL)
     SELECT topic, (SELECT count(*) FROM (
         SELECT FROM dead_letter d WHERE d.topic = found.topic AND d.replayed_at IS NULL LIMIT ${COUNT_UP_TO}) AS counted)::integer AS count
     FROM found WHERE topic IS NOT NULL`,
  );
  return new Map(rows.map(({ topic, count }) => [topic, count]));
}

/**
 * Records that a replay failed: keeps the dead letter, stores the reason and the time of this failure, adds the
 * attempts of the replay to the row's count, and withdraws the request.
 */
export async function markReplayFailed(
  manager: EntityManager,
  id: string,
  reason: string,
  attempts: number,
): Promise<void> {
  await manager.query(
    `UPDATE dead_letter SET replay_requested_at = NULL, reason = $2, attempts = attempts + $3, failed_at = clock_timestamp()
     WHERE id = $1 AND replay_requested_at IS NOT NULL`,
    [id, reason, attempts],
  );
}
