import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable, isRetryableConflict, isTimeout } from '@tandem/database';
import type { AttemptResult, EndpointChange } from './dispatch.types';
import { resultsPending, resultsStored } from './dispatch.metrics';
import type { ResultRepository } from './result.repository';

/** A result on its way to the database. */
export interface PendingResult {
  readonly result: AttemptResult;
  readonly change: EndpointChange | null;
  /** Called once, when the result is stored, or the delivery had moved on without it; with false when it cannot be stored. */
  readonly stored: (accepted: boolean) => void;
}

export interface WriterPolicy {
  /** How long a result waits for others, when no write is under way. */
  readonly waitMs: number;
  readonly batchMax: number;
}

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;

/**
 * Stores results in batches, one write at a time: while one is under way the next batch gathers, so batches grow with the
 * load by themselves. When the database is away nothing is dropped: results stay here, sending pauses (so no more of them
 * come than were in flight), and they are stored when it is back.
 */
export class ResultWriter {
  private readonly logger = new Logger('delivery');
  private waiting: PendingResult[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | null = null;
  private failing = false;
  private abandoned = false;

  private resumed = (): void => undefined;

  constructor(
    private readonly repository: ResultRepository,
    private readonly policy: WriterPolicy,
  ) {}

  /** Sets what is called when sending may go on after a pause. */
  onResumed(resumed: () => void): void {
    this.resumed = resumed;
  }

  /** Whether sending should wait, because what comes of it cannot be stored now. */
  get paused(): boolean {
    return this.failing || this.waiting.length > 4 * this.policy.batchMax;
  }

  add(pending: PendingResult): void {
    if (this.abandoned) return;
    resultsPending.set(this.waiting.push(pending));
    if (this.writing !== null) return;
    if (this.waiting.length >= this.policy.batchMax) this.start();
    else this.timer ??= setTimeout(() => this.start(), this.policy.waitMs);
  }

  /** Resolves when all results are stored. */
  async drained(): Promise<void> {
    while (this.writing !== null || this.waiting.length > 0) {
      this.start();
      await this.writing;
    }
  }

  /** Gives up: what is not stored by now is unknown, and will be sent again under the same `webhook-id`. */
  abandon(): void {
    this.abandoned = true;
    clearTimeout(this.timer);
    this.waiting = [];
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = null;
      if (this.waiting.length > 0) this.start();
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const wasPaused = this.paused;
      const batch = this.waiting.splice(0, this.policy.batchMax);
      await this.write(batch);
      if (wasPaused && !this.paused) this.resumed();
    }
  }

  private async write(batch: readonly PendingResult[]): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
      try {
        await this.writeOnce(batch);
        if (this.failing) this.resume();
        return;
      } catch (error) {
        const conflict = isRetryableConflict(error);
        if (!conflict && !isDatabaseUnavailable(error) && !isTimeout(error)) {
          return this.writeApart(batch, error as Error);
        }
        if (this.abandoned) return;
        if (!conflict) this.pause(error as Error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  private async writeOnce(batch: readonly PendingResult[]): Promise<void> {
    const changes = batch.flatMap(({ change }) => (change === null ? [] : [change]));
    const results = batch.map(({ result }) => result);
    await this.repository.store(results, changes);
    resultsStored.inc(batch.length);
    resultsPending.set(this.waiting.length);
    for (const { stored } of batch) stored(true);
  }

  /**
   * One result that the database refuses must not take the others with it. It is stored without the response body and the
   * error detail, which is all that can be wrong with it; one that is refused even so is given up, and its delivery stays pending.
   */
  private async writeApart(batch: readonly PendingResult[], error: Error): Promise<void> {
    const [only] = batch;
    if (batch.length > 1) {
      for (const pending of batch) await this.write([pending]);
    } else if (only !== undefined) {
      const { delivery, outcome } = only.result;
      const { id: deliveryId, oid, eventId } = delivery;
      this.logger.error({
        msg: 'the result of an attempt cannot be stored',
        deliveryId,
        eventId,
        oid,
        reason: error.message,
      });
      const isBare = outcome.response === null && outcome.detail === null;
      if (isBare) return only.stored(false);
      const bare = { ...only.result, outcome: { ...outcome, response: null, detail: null } };
      await this.write([{ ...only, result: bare }]);
    }
  }

  private pause(error: Error): void {
    if (!this.failing) this.logger.warn({ msg: 'sending pauses: results cannot be stored', reason: error.message });
    this.failing = true;
  }

  private resume(): void {
    this.failing = false;
    this.logger.log({ msg: 'sending goes on: results can be stored again' });
    this.resumed();
  }
}
