import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { Backoff, sleep } from '../../timing/backoff';
import { WakeSignal } from '../../timing/wake-signal';
import type { BatchSink } from '../bus.port';

/** One partition as this member holds it: nobody else commits its cursor while the epoch is the same. */
export interface Lease {
  readonly topic: string;
  readonly partition: number;
  readonly epoch: string;
  readonly position: string;
}

interface LogRow {
  offset: string;
  key: string;
  headers: Record<string, string>;
  value: Buffer;
}

export interface ReaderContext {
  readonly pool: Pool;
  readonly group: string;
  readonly member: string;
  readonly sink: BatchSink;
}

const READ_AT_ONCE = 200;
/** A row is read when those before it have fewer bytes: an event can have 900,000, and each partition has a batch in hand. */
const READ_BYTES = 1024 * 1024;
/** Backup of the notifications and of the heartbeat's wakes. */
const POLL_MS = 5_000;
/**
 * The cursor is moved this often, so that little comes again after a kill. A reader that lost its partition learns it from that:
 * until then two may read it. The inbox knows what comes again.
 */
const COMMIT_EVERY_MS = 500;

/** Reads one leased partition in order, hands over each message, and moves the group's cursor behind it. */
export class PartitionReader {
  private readonly logger = new Logger(PartitionReader.name);
  private readonly stopping = new AbortController();
  private readonly wakes = new WakeSignal();
  private readonly backoff = new Backoff(100, 2_000);
  private position: bigint;
  private committed: bigint;
  private committedAt = 0;
  private readonly finished: Promise<void>;

  constructor(
    readonly lease: Lease,
    private readonly context: ReaderContext,
  ) {
    this.position = this.committed = BigInt(lease.position);
    this.finished = this.run();
  }

  /** Looks at the log now, when it is known to reach beyond what was handled. */
  wake(nextOffset?: string): void {
    if (nextOffset === undefined || BigInt(nextOffset) > this.position) this.wakes.wake();
  }

  /** Waits for the message in hand; with `release` the partition is then free for others. */
  async stop(release: boolean): Promise<void> {
    this.stopping.abort();
    this.wakes.wake();
    await this.finished;
    // What cannot be committed comes again, and the inbox knows it.
    await this.commit(release).catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        const rows = await this.read();
        this.backoff.reset();
        if (rows.length > 0) await this.handle(rows);
        else await this.wakes.wait(this.position === this.committed ? POLL_MS : COMMIT_EVERY_MS);
        await this.commitInTime();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.logger.warn(`${this.lease.topic}/${this.lease.partition} is tried again: ${(error as Error).message}`);
        await sleep(this.backoff.next(), this.stopping.signal);
      }
    }
  }

  private async read(): Promise<LogRow[]> {
    const { rows } = await this.context.pool.query<LogRow>({
      name: 'bus-read',
      text: `SELECT "offset", key, headers, value FROM (
               SELECT "offset", key, headers, value,
                      sum(octet_length(value)) OVER (ORDER BY "offset" ROWS UNBOUNDED PRECEDING) - octet_length(value) AS bytes_before
               FROM bus.event_log WHERE topic = $1 AND "partition" = $2 AND "offset" >= $3
               ORDER BY "offset" LIMIT ${READ_AT_ONCE}) AS next
             WHERE bytes_before < ${READ_BYTES} ORDER BY "offset"`,
      values: [this.lease.topic, this.lease.partition, this.position],
    });
    return rows;
  }

  private async handle(rows: readonly LogRow[]): Promise<void> {
    const { topic, partition } = this.lease;
    const { signal } = this.stopping;
    if (signal.aborted) return;
    const messages = rows.map((row) => ({ topic, partition, ...row }));
    await this.context.sink(messages, signal);
    this.position = BigInt((rows.at(-1) as LogRow).offset) + 1n;
  }

  private async commitInTime(): Promise<void> {
    if (this.position !== this.committed && Date.now() - this.committedAt >= COMMIT_EVERY_MS) await this.commit(false);
  }

  /**
   * Moves the group's cursor, unless the partition has been given to another member meanwhile. The commit does not wait for
   * the disk: a crash of Postgres may take the cursor back a little, and what then comes again is known to the inbox.
   */
  private async commit(release: boolean): Promise<void> {
    if (this.position === this.committed && !release) return;
    const { pool, group, member } = this.context;
    const { rowCount } = await pool.query({
      name: release ? 'bus-release' : 'bus-commit',
      text: `WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true))
             UPDATE bus.group_cursor SET "position" = $6 ${release ? ', owner = NULL' : ''}
             FROM relaxed WHERE group_name = $1 AND topic = $2 AND "partition" = $3 AND owner = $4 AND epoch = $5`,
      values: [group, this.lease.topic, this.lease.partition, member, this.lease.epoch, this.position],
    });
    if (rowCount === 0) {
      this.stopping.abort();
      return;
    }
    this.committed = this.position;
    this.committedAt = Date.now();
    if (release) await pool.query(`SELECT pg_notify('bus_group', $1)`, [group]);
  }
}
