import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';

/**
 * The time until which a request may have an effect. The caller stops waiting a little later, and then treats the request
 * as failed.
 */
export class Deadline {
  private readonly at: number;
  private answered = false;

  /**
   * @param timeoutMs the remaining time
   * @param isAbandoned whether the caller is known to have disconnected
   */
  constructor(
    timeoutMs: number,
    private readonly isAbandoned: () => boolean = () => false,
  ) {
    this.at = performance.now() + timeoutMs;
  }

  /**
   * Ends the deadline. Called when the request is answered: the deadline then no longer applies to work that the
   * request has left running.
   */
  end(): void {
    this.answered = true;
  }

  get isPassed(): boolean {
    return !this.answered && (performance.now() >= this.at || this.isAbandoned());
  }
}

/** A request's transaction was rolled back because the deadline had passed, or because the caller had disconnected. */
export class DeadlineExceededError extends Error {
  readonly code = 'deadline_exceeded';

  constructor() {
    super('the deadline of the request passed before its transaction was committed: nothing was done');
    this.name = 'DeadlineExceededError';
  }
}

const storage = new AsyncLocalStorage<Deadline>();

/**
 * Runs `work` with a deadline. A transaction of `work` whose commit would start after the deadline, or after the caller has
 * disconnected, is rolled back with DeadlineExceededError.
 */
export const runWithDeadline = <T>(deadline: Deadline, work: () => T): T => storage.run(deadline, work);

export const isDeadlinePassed = (): boolean => storage.getStore()?.isPassed ?? false;
