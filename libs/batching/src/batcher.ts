import { withoutContext } from './context';
import type { Gathering } from './gathering';

export interface BatcherLimits<In> {
  /** Maximum concurrent runs. */
  readonly concurrency: number;
  /** Maximum size of a run; a larger item gets its own run. */
  readonly maxSize: number;
  /** The size of an item. Default 1. */
  readonly sizeOf?: (item: In) => number;
  /** Maximum number of waiting items. Default: unlimited. */
  readonly maxWaiting?: number;
  /** Decides whether a run waits for more items. Default: no wait. */
  readonly gathering?: Gathering;
}

/** `maxWaiting` items are already waiting. */
export class BatcherFullError extends Error {
  readonly code = 'batcher_full';

  constructor(waiting: number) {
    super(`${waiting} items are already waiting`);
    this.name = 'BatcherFullError';
  }
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets concurrent work share runs. Items added in one turn of the event loop start at its end; items
 * added during a run wait for the next one. Runs therefore grow with the load, and no item waits for others
 * to arrive unless `gathering` says so. Runs have no context:
 * no log fields, trace or deadline of a request.
 */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = 0;
  private starting = false;

  /** @param run handles some items, and returns one result for each, in order; when it rejects, all of its items reject */
  constructor(
    private readonly limits: BatcherLimits<In>,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
  ) {}

  /** @returns the item's own result; rejects with its run's error, or with BatcherFullError */
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
    // The run has no context, because neither it nor the runs after it belong to a single request or event.
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
