import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable, isLockTimeout, isRetryableConflict, isTimeout } from '@tandem/database';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptResult, EndpointChange } from './dispatch-types';
import { resultsPending, resultsStored } from './dispatch.metrics';
import type { ResultRepository } from './result.repository';

/** An attempt's result that is waiting to be stored. */
export interface PendingResult {
  readonly result: AttemptResult;
  /** Returns the endpoint's state to store with the result; null if the attempt did not change that state. */
  readonly change: (() => EndpointChange) | null;
  /**
   * Called with true when the result is stored or no longer counts. Called with false when the database rejects the result even without the
   * answer's body and the error detail. Never called for a result that `abandon` dropped.
   */
  readonly stored: (accepted: boolean) => void;
}

export interface WriterPolicy {
  /** How long a result waits for further results when no write is in progress, in ms. */
  readonly waitMs: number;
  readonly batchMax: number;
}

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;
const LOCKED_RETRY_MS = 100;
/** How long results wait for locked deliveries or endpoints before a warning is logged. */
const LOCKED_WARNING_MS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Stores results in batches, one write after the other. During a write, the next batch accumulates, so batches grow with the load. If rows
 * are locked, the results for the other rows are stored, and the results for the locked rows are retried separately. While the database is
 * down, results stay in memory and sending pauses, so only the results of requests in flight accumulate.
 */
export class ResultWriter {
  private readonly logger = new Logger('delivery');
  private waiting: PendingResult[] = [];
  /** Results whose delivery or endpoint is locked by another transaction. */
  private locked: PendingResult[] = [];
  private retryLockedAt = Infinity;
  /** Since when each result in `locked` has been waiting; Infinity after a warning about the result. */
  private readonly lockedSince = new WeakMap<PendingResult, number>();
  private retryTimer: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | null = null;
  private failing = false;
  private abandoned = false;

  private resumed = (): void => undefined;

  constructor(
    private readonly repository: ResultRepository,
    private readonly policy: WriterPolicy,
  ) {}

  /** Sets the callback that is called when sending may resume after a pause. */
  onResumed(resumed: () => void): void {
    this.resumed = resumed;
  }

  /** Whether sending must wait, because results cannot be stored or too many of them are waiting. */
  get paused(): boolean {
    return this.failing || this.waiting.length > 4 * this.policy.batchMax;
  }

  add(pending: PendingResult): void {
    if (this.abandoned) return;
    this.waiting.push(pending);
    this.count();
    if (this.waiting.length >= this.policy.batchMax) this.start();
    else if (this.writing === null) this.timer ??= setTimeout(() => this.start(), this.policy.waitMs);
  }

  /** Resolves when no result is waiting to be stored. */
  async drained(): Promise<void> {
    while (this.writing !== null || this.waiting.length > 0 || this.locked.length > 0) {
      this.start();
      await this.writing;
      if (this.locked.length > 0) await sleep(LOCKED_RETRY_MS);
    }
  }

  /** Abandons results that are not stored. Their deliveries will be sent again under the same `webhook-id`. */
  abandon(): void {
    this.abandoned = true;
    clearTimeout(this.timer);
    clearTimeout(this.retryTimer);
    this.waiting = [];
    this.locked = [];
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = null;
      if (this.waiting.length > 0 || performance.now() >= this.retryLockedAt) this.start();
    });
  }

  private async writeAll(): Promise<void> {
    do {
      const wasPaused = this.paused;
      if (performance.now() >= this.retryLockedAt) await this.retryLocked();
      if (this.waiting.length > 0) await this.write(this.waiting.splice(0, this.policy.batchMax));
      if (wasPaused && !this.paused) this.resumed();
    } while (this.waiting.length > 0);
  }

  private async retryLocked(): Promise<void> {
    const batch = this.locked.splice(0, this.policy.batchMax);
    this.retryLockedAt = Infinity;
    if (this.locked.length > 0) this.retryLater();
    await this.write(batch, true);
    this.watchLocks();
  }

  /** Warns when a result has been waiting for a long time, because another transaction locks its delivery or endpoint. */
  private watchLocks(): void {
    const until = performance.now() - LOCKED_WARNING_MS;
    const long = this.locked.filter((pending) => (this.lockedSince.get(pending) ?? Infinity) <= until);
    const [first] = long;
    if (first === undefined) return;
    const { id: deliveryId, oid } = first.result.delivery;
    this.logger.warn({ msg: 'results wait for locked rows', count: long.length, deliveryId, oid });
    for (const pending of long) this.lockedSince.set(pending, Infinity);
  }

  private retryLater(): void {
    if (this.retryLockedAt < Infinity || this.abandoned) return;
    this.retryLockedAt = performance.now() + LOCKED_RETRY_MS;
    this.retryTimer = setTimeout(() => this.start(), LOCKED_RETRY_MS + 1);
  }

  /** @param skipLocked whether to retry results with locked rows later instead of waiting for the locks */
  private async write(batch: readonly PendingResult[], skipLocked = false): Promise<void> {
    let [skips, isReported] = [skipLocked, false];
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
      try {
        await this.writeOnce(batch, skips);
        if (this.failing) this.resume();
        return;
      } catch (error) {
        if (isLockTimeout(error) && !skips) {
          skips = true;
          continue;
        }
        // Even if locked deliveries and endpoints are skipped, rows of statistics may be locked. This is not an outage.
        const isLocked = isLockTimeout(error);
        const conflict = isRetryableConflict(error) || isLocked;
        if (!conflict && !isDatabaseUnavailable(error) && !isTimeout(error)) {
          return this.writeApart(batch, error as Error);
        }
        if (this.abandoned) return;
        if (!conflict) this.pause(error as Error);
        else if (isLocked && retryMs === MAX_RETRY_MS && !isReported) {
          isReported = true;
          this.logger.warn({ msg: 'results wait for locked rows', reason: (error as Error).message });
        }
        await sleep(retryMs);
      }
    }
  }

  private async writeOnce(batch: readonly PendingResult[], skipLocked: boolean): Promise<void> {
    // The endpoint's state is determined only now, because it may have changed while the result waited to be stored.
    const results = batch.map(({ result, change }) => ({ ...result, change: change?.() ?? null }));
    const locked = skipLocked ? await this.repository.storeUnlocked(results) : NONE;
    if (!skipLocked)
      await this.repository.store(
        results,
        results.flatMap(({ change }) => change ?? []),
      );
    const later = batch.filter(({ result }) => locked.has(result.delivery.id));
    if (later.length > 0) {
      this.locked.push(...later);
      for (const pending of later) if (!this.lockedSince.has(pending)) this.lockedSince.set(pending, performance.now());
      this.retryLater();
    }
    resultsStored.inc(batch.length - later.length);
    this.count();
    for (const { result, stored } of batch) if (!locked.has(result.delivery.id)) stored(true);
  }

  private count(): void {
    resultsPending.set(this.waiting.length + this.locked.length);
  }

  /**
   * Stores results one by one, so that a result that the database rejects does not affect the others. A rejected result is then stored
   * without the answer's body and the error detail, because only these can be invalid. If it is rejected again, it is abandoned, and its
   * delivery stays pending.
   */
  private async writeApart(batch: readonly PendingResult[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) {
      for (const pending of batch) await this.write([pending]);
    } else if (only !== undefined) {
      const { delivery, outcome } = only.result;
      const { id: deliveryId, oid, eventId } = delivery;
      this.logger.error({
        msg: 'attempt result not stored',
        deliveryId,
        eventId,
        oid,
        reason: error.message,
      });
      const isBare = outcome.response === null && outcome.detail === null;
      this.count();
      if (isBare) return only.stored(false);
      const bare = { ...only.result, outcome: { ...outcome, response: null, detail: null } };
      await this.write([{ ...only, result: bare }]);
    }
  }

  private pause(error: Error): void {
    if (!this.failing) this.logger.warn({ msg: 'sending paused, results not stored', reason: error.message });
    this.failing = true;
  }

  private resume(): void {
    this.failing = false;
    this.logger.log({ msg: 'sending resumed' });
    this.resumed();
  }
}
