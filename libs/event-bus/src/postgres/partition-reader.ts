import { Backoff, type OutageLog, sleep, WakeSignal } from '@tandem/batching';
import type { Pool } from 'pg';
import type { Gap } from '../bus-options';
import type { BatchSink } from '../bus-port';
import type { PartitionLog } from './partition-log';

/**
 * This member's lease of a partition. The cursor of the group (its stored position in the partition) has an epoch, which grows with each new
 * owner. While the cursor's epoch equals `epoch`, no other member can move the cursor.
 */
export interface Lease {
  readonly topic: string;
  readonly partition: number;
  readonly epoch: string;
  readonly position: string;
  /** The end of the partition's log: the offset of its next event. */
  readonly next_offset: string;
}

export interface ReaderContext {
  readonly pool: Pool;
  readonly log: PartitionLog;
  readonly group: string;
  readonly member: string;
  readonly sink: BatchSink;
  readonly onGap: (gap: Gap) => void;
  /** Logs the outages of all partitions together. */
  readonly outage: OutageLog;
}

/** How long the reader waits while there are no unread events, ms. A heartbeat or datagram that reports new events ends the wait earlier. */
const IDLE_MS = 60_000;

/**
 * Reads one leased partition in order, and delivers the events of each read as one batch. Reads only when a heartbeat or a datagram
 * has reported unread events.
 */
export class PartitionReader {
  private readonly stopping = new AbortController();
  private readonly wakes = new WakeSignal();
  private readonly backoff = new Backoff(100, 2_000);
  /** All events before this offset are handled, or were removed from the bus. */
  private read: bigint;
  /**
   * The end of the log in the last answer to a heartbeat. It is set to `read` by the first read that finds no events before
   * this end: see `skipAfterNextHeartbeat`.
   */
  private confirmedEnd: bigint;
  /** Set by a read that finds no events before the confirmed end; cleared by a read with events, or by the skip. */
  private foundNothing = false;
  /**
   * The end of the log according to datagrams. Any local program can send datagrams, so this value only causes a read.
   */
  private hintedEnd = 0n;
  private readonly finished: Promise<void>;

  constructor(
    readonly lease: Lease,
    private readonly context: ReaderContext,
  ) {
    this.read = BigInt(lease.position);
    this.confirmedEnd = BigInt(lease.next_offset);
    this.finished = this.run();
  }

  /** The offset from which the next read starts. */
  get position(): string {
    return String(this.read);
  }

  /** Sets the confirmed end of the log, which a heartbeat has returned. */
  confirmEnd(nextOffset: string): void {
    this.confirmedEnd = BigInt(nextOffset);
    if (this.hasMore) this.wakes.wake();
  }

  /** Sets the hinted end of the log, which a datagram has reported, if it is higher than the previous hint. */
  hintEnd(nextOffset: string): void {
    if (BigInt(nextOffset) > this.hintedEnd) this.hintedEnd = BigInt(nextOffset);
    if (this.hasMore) this.wakes.wake();
  }

  /**
   * Stops reading, and waits until the current batch has ended. With `release`, then releases the partition, so that
   * other members can take it. Never rejects.
   */
  async stop(release: boolean): Promise<void> {
    this.stopping.abort();
    this.wakes.wake();
    await this.finished;
    // If the release fails, this member keeps the partition. After each later heartbeat, the release is tried again, until
    // it succeeds, or the member leaves its group or times out.
    if (release) await this.release().catch(() => undefined);
  }

  private get hasMore(): boolean {
    return this.confirmedEnd > this.read || this.hintedEnd > this.read;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        if (this.hasMore) {
          await this.handOver();
          this.context.outage.succeeded();
        } else await this.wakes.wait(IDLE_MS);
        this.backoff.reset();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        const { topic, partition } = this.lease;
        const reason = error instanceof Error ? error.message : String(error);
        this.context.outage.failed({ topic, partition, reason });
        await sleep(this.backoff.next(), this.stopping.signal);
      }
    }
  }

  private async handOver(): Promise<void> {
    const { topic, partition } = this.lease;
    const { confirmedEnd, hintedEnd } = this;
    const rows = await this.context.log.read({ topic, partition, position: this.read });
    const last = rows.at(-1);
    if (last === undefined) {
      if (confirmedEnd > this.read) this.skipAfterNextHeartbeat(confirmedEnd);
      if (hintedEnd === this.hintedEnd) this.hintedEnd = 0n;
      return;
    }
    this.foundNothing = false;
    this.skipTo(BigInt(rows[0]?.offset ?? this.read));
    if (this.stopping.signal.aborted) return;
    await this.context.sink(
      rows.map((row) => ({ topic, partition, ...row })),
      this.stopping.signal,
    );
    this.read = BigInt(last.offset) + 1n;
  }

  /**
   * Handles a read that found no events before the confirmed end. There are two possible causes:
   * - The events were removed.
   * - A crash of Postgres has undone appends whose commits did not wait for the disk. The next heartbeat then ends this
   *   lease, or reports the end of the recovered log.
   *
   * So the reader waits for the next heartbeat. If the heartbeat reports unread events again, and the next read finds no
   * events again, the events were removed, and the reader skips to the end.
   */
  private skipAfterNextHeartbeat(end: bigint): void {
    if (this.foundNothing) this.skipTo(end);
    else this.confirmedEnd = this.read;
    this.foundNothing = !this.foundNothing;
  }

  /**
   * Continues at `offset`, if the position is lower. Reports the skipped events as missed, unless the group has read
   * nothing of the partition: a new group starts with the oldest event.
   */
  private skipTo(offset: bigint): void {
    if (offset > this.read && this.read > 0n) {
      const { topic, partition } = this.lease;
      this.context.onGap({ topic, partition, from: String(this.read), to: String(offset) });
    }
    if (offset > this.read) this.read = offset;
  }

  private async release(): Promise<void> {
    const { pool, group, member } = this.context;
    const { topic, partition, epoch } = this.lease;
    await pool.query('SELECT bus.release($1, $2, $3, $4, $5, $6)', [
      group,
      member,
      topic,
      partition,
      epoch,
      this.position,
    ]);
  }
}
