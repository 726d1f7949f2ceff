import { queryPrepared } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import type { OutgoingMessage } from '../wire/message';

/** An event that waits for the relay. */
export interface OutboxRow extends OutgoingMessage {
  readonly id: string;
}

export interface NewOutboxRow extends OutgoingMessage {
  readonly eventId: string;
}

/** What runs a statement: a pg client, or the like. */
export interface Queryable {
  query(sql: string, params?: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

const ADD_ONE = 'INSERT INTO outbox (event_id, topic, key, payload, headers) VALUES ($1, $2, $3, $4, $5)';

/** Adds rows to the transaction of `manager`, in the given order, by one statement. */
export async function insertOutboxRows(manager: EntityManager, rows: readonly NewOutboxRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  if (rows.length === 1) {
    const { eventId, topic, key, value, headers } = first;
    const values = [eventId, topic, key, value, JSON.stringify(headers)];
    await queryPrepared(manager.queryRunner ?? manager.dataSource, 'outbox-add', ADD_ONE, values);
    return;
  }
  await manager.query(
    `INSERT INTO outbox (event_id, topic, key, payload, headers)
     SELECT e, t, k, p, h::json FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[])
       WITH ORDINALITY AS new(e, t, k, p, h, n) ORDER BY n`,
    [
      rows.map(({ eventId }) => eventId),
      rows.map(({ topic }) => topic),
      rows.map(({ key }) => key),
      rows.map(({ value }) => value),
      rows.map(({ headers }) => JSON.stringify(headers)),
    ],
  );
}

export interface ReadLimits {
  readonly rows: number;
  /** A row is read when those before it have fewer bytes than this. */
  readonly bytes: number;
}

/**
 * The oldest rows of all topics but the given ones. Published rows are gone, so this always looks from the beginning: a row
 * whose transaction commits late is found although its id is lower than others that were published before it.
 */
export async function readOutbox(client: Queryable, limits: ReadLimits, exceptTopics: string[]): Promise<OutboxRow[]> {
  const { rows } = await client.query(
    `SELECT id, topic, key, value, headers FROM (
       SELECT id, topic, key, payload AS value, headers,
              sum(octet_length(payload)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(payload) AS bytes_before
       FROM outbox WHERE topic <> ALL ($2::text[]) ORDER BY id LIMIT $1) AS oldest
     WHERE bytes_before < $3 ORDER BY id`,
    [limits.rows, exceptTopics, limits.bytes],
  );
  return rows as unknown as OutboxRow[];
}

/** Marks rows as published, by removing them: one write a row in its whole life, where a mark and a later purge are two. */
export async function deleteOutboxRows(client: Queryable, ids: readonly string[]): Promise<void> {
  await client.query('DELETE FROM outbox WHERE id = ANY ($1::bigint[])', [ids]);
}

const COUNT_UP_TO = 100_000;

/** How many events wait (counted up to 100,000), and for how long the oldest one has, in seconds. */
export async function measureOutbox(client: Queryable): Promise<{ pending: number; oldestSeconds: number }> {
  const { rows } = await client.query(
    `SELECT count(*)::integer AS pending,
            coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS "oldestSeconds"
     FROM (SELECT created_at FROM outbox ORDER BY id LIMIT ${COUNT_UP_TO}) AS waiting`,
  );
  return rows[0] as { pending: number; oldestSeconds: number };
}
