import { canWrite, queryPrepared } from '@tandem/database';
import { type AppendedRow, keyHash, type OutgoingMessage, type RowPublisher } from '@tandem/event-bus';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** A pending event in the outbox. */
export interface OutboxRow extends OutgoingMessage {
  readonly id: string;
}

export interface NewOutboxRow extends OutgoingMessage {
  readonly eventId: string;
}

/** An object that runs statements, such as a pg client. */
export interface Queryable {
  query(statement: { name: string; text: string; values?: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A statement that inserts or changes rows, and returns the `id` of each of these rows as text. */
export interface Insertion {
  /** The name of the prepared statement: see `queryPrepared`. */
  readonly name: string;
  /** Common table expressions that `text` uses, separated by commas. */
  readonly with?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const ADD = `INSERT INTO outbox (event_id, topic, key, key_hash, payload, headers)
  SELECT e, t, k, kh, decode(p, 'base64'), h::json`;

/** Returns the SQL that reads new rows, with their positions, from a parameter. The parameter's value is a text of `jsonOf`. */
const newRows = (parameter: string): string =>
  `ROWS FROM (json_to_recordset(${parameter}::json) AS (r text, e uuid, t text, k text, kh integer, p text, h text))
   WITH ORDINALITY AS new(r, e, t, k, kh, p, h, n)`;

/** Inserts rows into the outbox, in the transaction of `manager` and in the given order, by one statement. */
export async function insertOutboxRows(manager: EntityManager, rows: readonly NewOutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await queryPrepared(
    manager.queryRunner ?? manager.dataSource,
    'outbox-add',
    `${ADD} FROM ${newRows('$1')} ORDER BY n`,
    [jsonOf(rows)],
  );
}

/** Inserts the app's rows and their events in one statement: see `Outbox.insertWithEvents`. */
export async function insertWithOutboxRows(
  source: DataSource | QueryRunner,
  { name, with: expressions, text, values }: Insertion,
  rows: readonly NewOutboxRow[],
  rowIds: readonly string[],
): Promise<Set<string>> {
  const inserted = await queryPrepared<{ id: string }>(
    source,
    name,
    `WITH ${expressions === undefined ? '' : `${expressions},`} inserted AS (${text}),
     added AS (${ADD} FROM ${newRows(`$${values.length + 1}`)} WHERE r IN (SELECT id FROM inserted) ORDER BY n)
     SELECT id FROM inserted`,
    [...values, jsonOf(rows, rowIds)],
  );
  return new Set(inserted.map(({ id }) => id));
}

/** Serializes all rows to one text, because serializing arrays of many texts costs more CPU. */
const jsonOf = (rows: readonly NewOutboxRow[], rowIds: readonly string[] = []): string =>
  JSON.stringify(
    rows.map(({ eventId, topic, key, value, headers }, index) => ({
      r: rowIds[index],
      e: eventId,
      t: topic,
      k: key,
      kh: keyHash(key),
      p: value.toString('base64'),
      // The headers are a text inside the JSON, because they may contain an escaped U+0000. Postgres accepts it in JSON
      // that it only stores, but rejects it in JSON from which it extracts values.
      h: JSON.stringify(headers),
    })),
  );

export interface ReadLimits {
  /** Maximum rows per topic. */
  readonly rows: number;
  /** The read of a topic ends with the row at which the total size of the topic's payloads reaches this number of bytes. */
  readonly bytes: number;
}

/** Selects the topics that have rows. Each topic is found in one step of the index, even if it has many rows. */
const TOPICS = `
  WITH RECURSIVE found (topic) AS (
    (SELECT topic FROM outbox ORDER BY topic LIMIT 1)
    UNION ALL
    SELECT (SELECT o.topic FROM outbox o WHERE o.topic > f.topic ORDER BY o.topic LIMIT 1)
    FROM found f WHERE f.topic IS NOT NULL)`;

/**
 * Selects the oldest rows of topic `found.topic`: at most `$1` rows, and none after the row at which the total size of
 * the payloads reaches `$2` bytes.
 */
const OLDEST = (columns: string): string => `SELECT ${columns} FROM (
    SELECT ctid, id, topic, key, payload AS value, headers,
           sum(octet_length(payload)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(payload) AS bytes_before
    FROM outbox WHERE topic = found.topic ORDER BY id LIMIT $1) AS oldest
  WHERE bytes_before < $2 ORDER BY id`;

/**
 * Returns the oldest rows of each topic except `exceptTopics`, whose backlog is not read. Each read starts at the lowest
 * id, because published rows are removed. So a row that commits late is found even if rows with higher ids were
 * published before. The rows of each topic are in the order of their ids: the subquery returns them in this order, and
 * a lateral join, which can only run row by row, keeps the order.
 *
 * @throws when the server accepts only reads, even if there are no rows: published rows could not be removed, so they
 *   would be published again and again. If the server is a former primary, new rows are on another server, so the caller
 *   must reconnect
 */
export async function readOutbox(client: Queryable, limits: ReadLimits, exceptTopics: string[]): Promise<OutboxRow[]> {
  const { rows } = await client.query({
    name: 'outbox-read',
    text: `${TOPICS}
      SELECT o.* FROM found CROSS JOIN LATERAL (${OLDEST('id, topic, key, value, headers')}) AS o
      WHERE found.topic <> ALL ($3::text[]) AND ${canWrite('outbox')}`,
    values: [limits.rows, limits.bytes, exceptTopics],
  });
  return rows as unknown as OutboxRow[];
}

/** The result of one statement that moved rows to the bus. */
export interface Move {
  readonly rows: number;
  readonly bytes: number;
  readonly appended: readonly AppendedRow[];
}

/**
 * Moves the oldest rows of each topic to the bus's log: one statement removes them from the outbox and appends them to
 * the log, so either both happen or neither. The values never leave Postgres. Rows are removed by their physical
 * position (ctid), because another look-up in the index would read the index's dead entries, whose number grows with
 * the load.
 *
 * @throws when the bus rejects one of the topics, or when a row has no key hash; then nothing is moved
 */
export async function moveOutbox(client: Queryable, limits: ReadLimits, publisher: RowPublisher): Promise<Move> {
  const { rows } = await client.query({
    name: 'outbox-move',
    text: `${TOPICS},
      taken AS (
        DELETE FROM outbox WHERE ctid = ANY (ARRAY(SELECT o.ctid FROM found CROSS JOIN LATERAL (${OLDEST('ctid')}) AS o))
        RETURNING id, topic, key, key_hash, headers, payload),
      lists AS (
        SELECT count(*)::integer AS rows, sum(octet_length(payload))::integer AS bytes, array_agg(topic ORDER BY id) AS topics,
               array_agg(key_hash ORDER BY id) AS hashes, array_agg(key ORDER BY id) AS keys,
               array_agg(headers::text ORDER BY id) AS headers, array_agg(payload ORDER BY id) AS payloads
        FROM taken HAVING count(*) > 0)
      SELECT lists.rows, lists.bytes, appended.* FROM lists
      CROSS JOIN LATERAL ${publisher.function}(topics, hashes, keys, headers, payloads, $3) AS appended`,
    values: [limits.rows, limits.bytes, publisher.host],
  });
  const appended = rows as unknown as (AppendedRow & Pick<Move, 'rows' | 'bytes'>)[];
  return { rows: appended[0]?.rows ?? 0, bytes: appended[0]?.bytes ?? 0, appended };
}

/** Removes published rows. Removing costs one write per row; marking rows and deleting them later would cost two. */
export async function deleteOutboxRows(client: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  await client.query({
    name: 'outbox-delete',
    text: `DELETE FROM outbox USING unnest($1::text[], $2::bigint[]) AS done (topic, id)
           WHERE outbox.topic = done.topic AND outbox.id = done.id`,
    values: [rows.map(({ topic }) => topic), rows.map(({ id }) => id)],
  });
}

const COUNT_UP_TO = 100_000;

/** Returns the number of pending events, counted up to 100,000, and the age of the oldest one in seconds. */
export async function measureOutbox(client: Queryable): Promise<{ pending: number; oldestSeconds: number }> {
  const { rows } = await client.query({
    name: 'outbox-measure',
    text: `${TOPICS}
      SELECT (SELECT count(*) FROM (SELECT FROM outbox LIMIT ${COUNT_UP_TO}) AS counted)::integer AS pending,
             coalesce(extract(epoch FROM clock_timestamp() - min(oldest.created_at)), 0)::float8 AS "oldestSeconds"
      FROM found CROSS JOIN LATERAL (SELECT created_at FROM outbox WHERE topic = found.topic ORDER BY id LIMIT 1) AS oldest`,
  });
  return rows[0] as { pending: number; oldestSeconds: number };
}
