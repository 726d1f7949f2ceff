import { Backoff, sleep } from '@tandem/batching';
import { isDatabaseUnavailable, isRetryableConflict, isTimeout } from '@tandem/database';
import type { EventsTuning } from '../events-options';
import { causesOf, DeliveryAbortedError, isPermanent } from './dispatch.errors';

/** The kinds of failed attempts. The kind determines whether and when {@link withAttempts} tries again. */
export type FailureKind = 'unavailable' | 'conflict' | 'timeout' | 'failed' | 'permanent';

/**
 * How many conflicts and timeouts of one piece of work do not count as failed attempts. The number for timeouts is
 * smaller, because an attempt that times out can take long: by default, a statement is canceled after 15 s.
 */
const UNCOUNTED = { conflict: 50, timeout: 20 };

const anyCause = (error: unknown, matches: (error: unknown) => boolean): boolean => [...causesOf(error)].some(matches);

export function kindOf(error: unknown): FailureKind {
  if (isPermanent(error)) return 'permanent';
  if (anyCause(error, isDatabaseUnavailable)) return 'unavailable';
  if (anyCause(error, isRetryableConflict)) return 'conflict';
  return anyCause(error, isTimeout) ? 'timeout' : 'failed';
}

/** All attempts are used up, or the error is permanent. */
export class AttemptsExhaustedError extends Error {
  constructor(
    readonly attempts: number,
    override readonly cause: unknown,
  ) {
    super(`failed after ${attempts} attempts`);
    this.name = 'AttemptsExhaustedError';
  }
}

export interface AttemptsOptions {
  readonly tuning: Pick<EventsTuning, 'handlerBackoffMs' | 'handlerBackoffMaxMs'>;
  /**
   * The maximum number of failed attempts. If it is 1, every timeout counts, so that a batch that timed out is split
   * immediately.
   */
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown, kind: FailureKind, attempt: number) => void;
}

/**
 * Retries work until it succeeds, or until `attempts` attempts have failed. A permanent error ends the attempts
 * immediately. While the database is unavailable, the work is retried without limit. Deadlocks, serialization failures
 * and timeouts of the database are not the event's fault, so they count as failed attempts only beyond the limits in
 * `UNCOUNTED`. Exception: if `attempts` is 1, every timeout counts.
 *
 * @throws AttemptsExhaustedError, or DeliveryAbortedError when the signal is aborted first
 */
export async function withAttempts<T>(work: (attempt: number) => Promise<T>, options: AttemptsOptions): Promise<T> {
  const { tuning, signal } = options;
  const pauses = {
    failed: new Backoff(tuning.handlerBackoffMs, tuning.handlerBackoffMaxMs),
    unavailable: new Backoff(100, 2_000),
    conflict: new Backoff(5, 100),
    timeout: new Backoff(100, 2_000),
  };
  let attempt = 1;
  const uncounted = { conflict: 0, timeout: 0 };
  for (;;) {
    if (signal.aborted) throw new DeliveryAbortedError();
    try {
      return await work(attempt);
    } catch (error) {
      let kind = kindOf(error);
      if (kind === 'timeout' && options.attempts === 1) kind = 'failed';
      if ((kind === 'conflict' || kind === 'timeout') && ++uncounted[kind] > UNCOUNTED[kind]) kind = 'failed';
      options.onFailure(error, kind, attempt);
      if (kind === 'permanent' || (kind === 'failed' && attempt >= options.attempts))
        throw new AttemptsExhaustedError(attempt, error);
      if (kind === 'failed') attempt++;
      await sleep(pauses[kind].next(), signal);
    }
  }
}
