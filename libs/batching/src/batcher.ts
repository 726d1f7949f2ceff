import { withoutContext } from './context';
import type { Gathering } from './gathering';

export interface BatcherLimits<In> {
  /** Runs at the same time. */
  readonly concurrency: number;
  /** The size of a run at most; a single item that is larger has a run of its own. */
  readonly maxSize: number;
  /** What an item counts for. Default 1. */
  readonly sizeOf?: (item: In) => number;
  /** Items that may wait for a run. Default: any number. */
  readonly maxWaiting?: number;
  /** Decides whether a run waits for more. Default: none does. */
  readonly gathering?: Gathering;
}

/** `maxWaiting` items are waiting already. */
export class BatcherFullError extends Error {
  readonly code = 'batcher_full';

  constructor(waiting: number) {
    super(`${waiting} items are waiting already`);
    this.name = 'BatcherFullError';
  }
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets work that waits at the same time share one run. Items that one turn of the event loop adds start at its end; items that
 * are added during a run wait for the next one. So runs grow with the load, and no item waits for others
 * to come, unless `gathering` says so. Runs have no context:
 * no log fields, trace or deadline of a request.
 */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = 0;
  private starting = false;

  /** @param run handles some items, and gives one result for each, in their order; when it rejects, all of its items do */
  constructor(
    private readonly limits: BatcherLimits<In>,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
  ) {}

  /** @returns the item's own result; rejects with the error of its run, or with BatcherFullError */
  add(item: In): Promise<Out> {
    const { length } = this.waiting;
    if (length >= (this.limits.maxWaiting ?? Infinity)) return Promise.reject(new BatcherFullError(length));
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.startSoon();
    });
  }

  private startSoon(): void {
    if (this.starting || this.running >= this.limits.concurrency) return;
    this.starting = true;
    const start = (): void => {
      this.starting = false;
      this.startRuns();
    };
    const waitMs = this.limits.gathering?.waitMs() ?? 0;
    // A run belongs to no single request or event, and the runs after it neither.
    withoutContext(() => (waitMs > 0 ? setTimeout(start, waitMs) : setImmediate(start)));
  }

  private startRuns(): void {
    while (this.running < this.limits.concurrency && this.waiting.length > 0) {
      this.running++;
      void this.runOnce(this.takeNext());
    }
  }

  private takeNext(): Waiting<In, Out>[] {
    const { maxSize, sizeOf = () => 1 } = this.limits;
    let size = 0;
    let count = 0;
    for (const { item } of this.waiting) {
      size += sizeOf(item);
      if (count > 0 && size > maxSize) break;
      count++;
    }
    this.limits.gathering?.took(count);
    return this.waiting.splice(0, count);
  }

  private async runOnce(taken: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.run(taken.map(({ item }) => item));
      taken.forEach(({ resolve }, index) => resolve(results[index] as Out));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      this.running--;
      this.startSoon();
    }
  }
}
