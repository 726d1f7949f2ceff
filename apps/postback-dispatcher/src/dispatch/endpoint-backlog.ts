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
 * How many rounds of concurrent requests one read should cover. Reads are large, because planning one takes Postgres longer than reading
 * some hundred rows.
 */
const READ_ROUNDS = 48;
const HOLD_PART = 200;
/** The pause after each part, as a multiple of the part's duration. It leaves the database to other work. */
const HOLD_REST = 2;
const RETRY_MS = 500;

const outage = new OutageLog(new Logger('dispatch'), {
  failed: 'due deliveries cannot be read',
  recovered: 'due deliveries are read again',
});

/** A position in the due deliveries, and whether more deliveries certainly follow it. */
interface ReadFrom extends DueCursor {
  readonly isBehind: boolean;
}

/** The due deliveries of one endpoint that are not in memory. They are read part by part, or held when the endpoint is disabled. */
export class EndpointBacklog {
  /** Where to continue reading; null when all due deliveries are in memory. */
  private from: ReadFrom | null = null;
  /** Whether a read is in progress or queued, or deliveries are being held. */
  private busy = false;
  private stopped = false;
  private concurrency = 1;
  private hasFailed = false;

  /** @param proceed called after a part was read or held */
  constructor(
    private readonly endpoint: Endpoint,
    private readonly queue: DeliveryQueue,
    private readonly due: DueRepository,
    private readonly reads: DueReads,
    private readonly proceed: () => void,
  ) {}

  /** Whether some due deliveries are certainly not in memory. Later deliveries must then queue behind them. */
  get isBehind(): boolean {
    return this.from?.isBehind === true;
  }

  get isQuiet(): boolean {
    return this.from === null && !this.busy;
  }

  /** Notes that a delivery that is not in memory may be due. @param isBehind whether such a delivery certainly exists */
  expect(isBehind: boolean): void {
    // Otherwise a later part of the backlog is being read. The last read of a backlog starts at the beginning again, and finds the delivery.
    if (this.from === null || this.from.isFirst) this.from = firstDue(isBehind || this.isBehind);
  }

  /** Removes queued deliveries from memory. They stay in the database, and are read again when they can be sent. */
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
      // Only an endpoint whose own previous read failed reports a success, because the reads of other endpoints may still fail.
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
    // If the position has changed, a delivery has arrived that this read may not have seen.
    if (batch !== null && this.from === from) {
      const atEnd = from.isFirst ? null : firstDue(true);
      const next = batch.next && { ...batch.next, isBehind: true };
      this.from = isComplete ? (next ?? atEnd) : firstDue(true);
    }
    this.ended();
  }

  /** Holds all pending deliveries, part by part. @param enabled called when the endpoint turns out to be enabled */
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
      // When nothing was held, the endpoint is enabled, or other transactions have locked all remaining rows.
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

/** Returns the first position, as a new object each time: a read that started with an earlier object can detect that a delivery has arrived. */
const firstDue = (isBehind: boolean): ReadFrom => ({ ...FIRST_DUE, isBehind });
