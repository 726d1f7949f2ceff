/** A dead letter as an operator sees it: where it came from and why it failed, without its data. */
export interface DeadLetter {
  readonly id: string;
  readonly consumer: string;
  readonly eventId: string;
  readonly topic: string;
  readonly key: string | null;
  readonly reason: string;
  readonly attempts: number;
  readonly failedAt: Date;
  readonly replayRequestedAt: Date | null;
  readonly replayedAt: Date | null;
}

export interface DeadLetterFilter {
  /** Selects the dead letters of this topic. */
  topic?: string;
  /** Selects the dead letters with this key, such as a sale's oid. */
  key?: string;
  /** Whether to include replayed dead letters. Default false. */
  replayed?: boolean;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** 1 to 1,000; default 100. */
  limit?: number;
}

export interface DeadLetterPage {
  readonly items: DeadLetter[];
  readonly nextCursor: string | null;
}

/**
 * Which dead letters to replay: those with the given ids, or all of a topic. Dead letters that have been replayed are
 * left out.
 */
export type ReplayTarget = { readonly ids: readonly string[] } | { readonly topic: string };

/** A pg Client or Pool, or another object that runs SQL in an app's schema. */
export interface SqlClient {
  query(sql: string, params?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Lists the dead letters in `client`'s schema, newest first. */
export async function listDeadLetters(client: SqlClient, filter: DeadLetterFilter = {}): Promise<DeadLetterPage> {
  const limit = Math.min(Math.max(Math.trunc(filter.limit ?? 100), 1), 1_000);
  const { rows } = await client.query(
    `SELECT id, consumer, event_id AS "eventId", topic, key, reason, attempts, failed_at AS "failedAt",
            replay_requested_at AS "replayRequestedAt", replayed_at AS "replayedAt"
     FROM dead_letter
     WHERE ($1::text IS NULL OR topic = $1) AND ($2::text IS NULL OR key = $2)
       AND ($3 OR replayed_at IS NULL) AND ($4::bigint IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $5`,
    [filter.topic ?? null, filter.key ?? null, filter.replayed ?? false, filter.cursor ?? null, limit + 1],
  );
  const items = (rows as DeadLetter[]).slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/**
 * Requests the replay of dead letters. The running app polls for requests every five seconds, and handles each event
 * again if the inbox does not have the event. A dead letter whose event was handled in the meantime is only marked as
 * replayed.
 *
 * @returns the number of dead letters whose replay is requested
 */
export async function requestReplay(client: SqlClient, target: ReplayTarget): Promise<number> {
  const [condition, value] = 'ids' in target ? ['id = ANY ($1::bigint[])', target.ids] : ['topic = $1', target.topic];
  const { rows } = await client.query(
    `WITH asked AS (UPDATE dead_letter SET replay_requested_at = clock_timestamp()
       WHERE ${condition} AND replayed_at IS NULL RETURNING 1)
     SELECT count(*)::integer AS count FROM asked`,
    [value],
  );
  return (rows[0] as { count: number }).count;
}
