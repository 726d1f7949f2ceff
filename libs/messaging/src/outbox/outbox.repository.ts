import { queryPrepared } from '@tandem/database';
import { type AppendedRow, keyHash, type OutgoingMessage, type RowPublisher } from '@tandem/event-bus';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** A pending event in the outbox. */
export interface OutboxRow extends OutgoingMessage {
  readonly id: string;
}

export interface NewOutboxRow extends OutgoingMessage {
  readonly eventId: string;
}

/** Runs a statement: a pg client, for example. */
export interface Queryable {
  query(statement: { name: string; text: string; values?: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A statement that inserts or changes rows and returns the `id` of each row, as text. */
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

/** Returns the rows of a parameter written by `jsonOf`, with their positions. */
const newRows = (parameter: string): string =>
  `ROWS FROM (json_to_recordset(${parameter}::json) AS (r text, e uuid, t text, k text, kh integer, p text, h text))
   WITH ORDINALITY AS new(r, e, t, k, kh, p, h, n)`;

/** Adds rows to the transaction of `manager`, in the given order, in one statement. */
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

/** Serializes all rows to one text, because serializing arrays of many texts costs several times as much CPU. */
const jsonOf = (rows: readonly NewOutboxRow[], rowIds: readonly string[] = []): string =>
  JSON.stringify(
    rows.map(({ eventId, topic, key, value, headers }, index) => ({
      r: rowIds[index],
      e: eventId,
      t: topic,
      k: key,
      kh: keyHash(key),
      p: value.toString('base64'),
      // Sent as text, because Postgres rejects U+0000 in JSON that it parses, but keeps it in JSON that it only stores.
      h: JSON.stringify(headers),
    })),
  );

export interface ReadLimits {
  /** Maximum rows per topic. */
  readonly rows: number;
  /** Per topic: a row is included while the rows before it have fewer bytes than this. */
  readonly bytes: number;
}

/** Selects the topics that have rows. Each topic is found in one step of the index, even if it has many rows. */
const TOPICS = `
  WITH RECURSIVE found (topic) AS (
    (SELECT topic FROM outbox ORDER BY topic LIMIT 1)
    UNION ALL
    SELECT (SELECT o.topic FROM outbox o WHERE o.topic > f.topic ORDER BY o.topic LIMIT 1)
    FROM found f WHERE f.topic IS NOT NULL)`;

/** Selects the oldest rows of topic `found.topic`: at most `$1`, and none after the first row that starts beyond `$2` bytes. */
const OLDEST = (columns: string): string => `SELECT ${columns} FROM (
    SELECT ctid, id, topic, key, payload AS value, headers,
           sum(octet_length(payload)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(payload) AS bytes_before
    FROM outbox WHERE topic = found.topic ORDER BY id LIMIT $1) AS oldest
  WHERE bytes_before < $2 ORDER BY id`;

/**
 * Returns the oldest rows of each topic, except the given topics, whose rows are not read. Published rows are removed, so each read
 * starts at the lowest id: a row that commits late is found even when rows with higher ids were already published. A lateral join
 * can only run row by row, so the rows of a topic come in the order of its subquery.
 */
export async function readOutbox(client: Queryable, limits: ReadLimits, exceptTopics: string[]): Promise<OutboxRow[]> {
  const { rows } = await client.query({
    name: 'outbox-read',
    text: `${TOPICS}
      SELECT o.* FROM found CROSS JOIN LATERAL (${OLDEST('id, topic, key, value, headers')}) AS o
      WHERE found.topic <> ALL ($3::text[])`,
    values: [limits.rows, limits.bytes, exceptTopics],
  });
  return rows as unknown as OutboxRow[];
}

/** The rows that one statement moved to the bus. */
export interface Move {
  readonly rows: number;
  readonly bytes: number;
  readonly appended: readonly AppendedRow[];
}

/**
 * Removes the oldest rows of each topic and appends them to the bus's log in one statement: their values never leave
 * Postgres, and both happen or neither. Rows are removed by their physical position (ctid): joining the index again would
 * read its dead entries, which grow with the load.
 *
 * @throws when the bus rejects one of the topics, or a row has no key hash: then nothing is done
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

/** Removes published rows. This is one write per row; to mark a row and purge it later would be two. */
export async function deleteOutboxRows(client: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  await client.query({
    name: 'outbox-delete',
    text: `DELETE FROM outbox USING unnest($1::text[], $2::bigint[]) AS done (topic, id)
           WHERE outbox.topic = done.topic AND outbox.id = done.id`,
    values: [rows.map(({ topic }) => topic), rows.map(({ id }) => id)],
  });
}

const COUNT_UP_TO = 100_000;

/** Returns how many events are pending (counted up to 100,000), and the age of the oldest, in seconds. */
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
