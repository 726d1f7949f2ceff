import { Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import type { DeliveryQueue } from './delivery-queue';
import { type DueBatch, type DueCursor, type DueRepository, FIRST_DUE } from './due.repository';
import type { DueRead, DueReads } from './due-reads';

const READ_MIN = 50;
const READ_MAX = 400;
/**
 * The limit of a read is this many deliveries for each request that may be in flight to the endpoint, but at least READ_MIN and at most
 * READ_MAX. Reads are large, because few large reads cost less than many small ones.
 */
const READ_ROUNDS = 48;
const HOLD_PART = 200;
/** The pause after each held part, as a multiple of the part's duration. During the pause, the database has capacity for other work. */
const HOLD_REST = 2;
const RETRY_MS = 500;

const outage = new OutageLog(new Logger('dispatch'), {
  failed: 'due deliveries cannot be read',
  recovered: 'due deliveries are read again',
});

/** A position in the due deliveries. */
interface ReadFrom extends DueCursor {
  /** Whether deliveries that are handed over in memory must wait until the deliveries after this position have been read. */
  readonly isBehind: boolean;
}

/** The due deliveries of one endpoint that are only in the database. They are read part by part, or held if the endpoint is disabled. */
export class EndpointBacklog {
  /** Where to continue reading; null while all due deliveries are expected to be in memory. */
  private from: ReadFrom | null = null;
  /** Whether a read is in progress or queued, or deliveries are being held. */
  private busy = false;
  private stopped = false;
  private concurrency = 1;
  private hasFailed = false;

  /** @param proceed called when a read, or the holding of deliveries, has ended, even if it failed */
  constructor(
    private readonly endpoint: Endpoint,
    private readonly queue: DeliveryQueue,
    private readonly due: DueRepository,
    private readonly reads: DueReads,
    private readonly proceed: () => void,
  ) {}

  /** Whether due deliveries are assumed to be only in the database. Newer deliveries must then wait until these have been read. */
  get isBehind(): boolean {
    return this.from?.isBehind === true;
  }

  get isQuiet(): boolean {
    return this.from === null && !this.busy;
  }

  /** Records that there may be a due delivery that is not in memory. @param isBehind whether it is certain that there is one */
  expect(isBehind: boolean): void {
    // If `from` is not the first position, a backlog is being read. At the end of this backlog, reading starts again at the first position,
    // and then finds the expected delivery.
    if (this.from === null || this.from.isFirst) this.from = firstDue(isBehind || this.isBehind);
  }

  /** Removes the queued deliveries from memory. They are still pending in the database, and are read again when they can be sent. */
  putBack(): void {
    this.queue.clear();
    this.from = firstDue(true);
    if (this.reads.cancel(this.readPart)) this.busy = false;
  }

  /** Requests a read of the next due deliveries that are not in memory. The read starts when it is this endpoint's turn. */
  read(concurrency: number): void {
    if (this.from === null || this.busy) return;
    this.busy = true;
    this.concurrency = concurrency;
    this.reads.request(this.readPart);
  }

  private readonly readPart: DueRead = async (bytes) => {
    const from = this.from ?? firstDue(false);
    const rows = Math.min(READ_MAX, Math.max(READ_MIN, READ_ROUNDS * this.concurrency));
    this.queue.beginRead();
    try {
      const batch = await this.due.findDue(this.endpoint, from, this.queue.ids(), { rows, bytes });
      // All endpoints share `outage`. This success ends the outage only if the previous read or hold of this endpoint failed. Otherwise,
      // the failed reads were those of other endpoints, and this success does not show that they succeed again.
      if (this.hasFailed) outage.succeeded();
      this.hasFailed = false;
      return () => this.readEnded(from, batch);
    } catch (error) {
      await this.failed(error as Error);
      return () => this.readEnded(from, null);
    }
  };

  private readEnded(from: ReadFrom, batch: DueBatch | null): void {
    const isComplete = this.queue.endRead(batch?.deliveries ?? []);
    if (this.stopped) this.queue.clear();
    // If `from` was replaced during the read, there may be due deliveries that the read has not seen. The new position must stay.
    if (batch !== null && this.from === from) {
      const atEnd = from.isFirst ? null : firstDue(true);
      const next = batch.next && { ...batch.next, isBehind: true };
      this.from = isComplete ? (next ?? atEnd) : firstDue(true);
    }
    this.ended();
  }

  /**
   * Holds all pending deliveries of a disabled endpoint, part by part.
   * @param enabled called when the stored endpoint turns out to be enabled
   */
  hold(enabled: () => void): void {
    if (this.from === null || this.busy) return;
    this.busy = true;
    void this.holdAll(this.from, enabled)
      .catch((error: Error) => this.failed(error))
      .then(() => this.ended());
  }

  private async holdAll(from: ReadFrom, enabled: () => void): Promise<void> {
    for (let next: DueCursor | null = FIRST_DUE; next !== null && !this.stopped;) {
      const startedAt = performance.now();
      const part = await this.due.holdPending(this.endpoint.id, next, HOLD_PART);
      next = part.disabled ? part.next : null;
      if (!part.disabled) enabled();
      else if (next === null && this.from === from) this.from = null;
      // A part holds nothing if the endpoint is enabled, or if other transactions have locked all remaining rows.
      const restMs = part.held === 0 ? RETRY_MS : HOLD_REST * (performance.now() - startedAt);
      if (next !== null || !part.disabled) await sleep(restMs);
    }
  }

  /** Stops reading and holding. */
  stop(): void {
    this.stopped = true;
    this.reads.cancel(this.readPart);
  }

  private ended(): void {
    this.busy = false;
    this.proceed();
  }

  private async failed({ message: reason }: Error): Promise<void> {
    this.hasFailed = true;
    outage.failed({ endpointId: this.endpoint.id, reason });
    await sleep(RETRY_MS);
  }
}

/**
 * Returns the position before all due deliveries, as a new object each time. At its end, a read compares `from` with the object with which
 * the read started, and so detects that a delivery may have become due during the read.
 */
const firstDue = (isBehind: boolean): ReadFrom => ({ ...FIRST_DUE, isBehind });
