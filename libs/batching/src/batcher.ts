import { withoutContext } from './context';
import type { Gathering } from './gathering';

export interface BatcherLimits<In> {
  /** Maximum concurrent runs. */
  readonly concurrency: number;
  /** Maximum size of a run: the sum of the sizes of its items. An item larger than `maxSize` runs alone. */
  readonly maxSize: number;
  /** The size of an item. Default 1. */
  readonly sizeOf?: (item: In) => number;
  /** Maximum number of waiting items. Default: unlimited. */
  readonly maxWaiting?: number;
  /** Decides how long a run waits for more items before it starts. Default: no wait. */
  readonly gathering?: Gathering;
}

/** The item was rejected because `maxWaiting` items are already waiting. */
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
 * Combines the items of concurrent callers into runs. Items that are added in one turn of the event loop run together
 * when the turn ends, up to `maxSize` per run. While `concurrency` runs are in progress, further items wait until one
 * of the runs ends. Runs therefore grow with the load. A run that could start at once waits for more items only if
 * `gathering` returns a wait. A run has no request context: it does not inherit the log fields, trace or deadline of a
 * caller.
 */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = 0;
  private starting = false;

  /**
   * @param run handles the items of one run, and returns their results in the same order; when it rejects, `add`
   *   rejects for each of these items
   */
  constructor(
    private readonly limits: BatcherLimits<In>,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
  ) {}

  /** Adds an item. @returns the item's own result; rejects with the error of the item's run, or with BatcherFullError */
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
    // Starts outside of any request context, because neither this run nor the runs that follow it belong to a single
    // request or event.
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
