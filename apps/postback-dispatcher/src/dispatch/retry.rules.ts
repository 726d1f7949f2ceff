import type { AttemptOutcome } from '../attempt/attempt-types';
import type { DueDelivery, Verdict } from './dispatch-types';

/** The longest accepted `Retry-After`: 24 h. */
export const MAX_RETRY_AFTER_MS = 24 * 3600_000;

/** Each wait is randomly lengthened or shortened by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

export interface RetryInput {
  /** The number of the failed attempt; 1 for the first attempt after the delivery's creation, or after a replay that restarted the retries. */
  readonly attempt: number;
  /**
   * The waits before the attempts, in seconds. The length of the list is the number of attempts. The first wait is not used, because the
   * first attempt is due immediately.
   */
  readonly scheduleSeconds: readonly number[];
  /** The wait that the endpoint requested by `Retry-After`; null if it requested none. */
  readonly retryAfterMs: number | null;
  /** A random number; 0 ≤ random < 1. */
  readonly random: number;
}

/** Returns the milliseconds until the next attempt, or null when no attempt is left. The wait is never shorter than `Retry-After`. */
export function nextAttemptInMs({ attempt, scheduleSeconds, retryAfterMs, random }: RetryInput): number | null {
  const seconds = scheduleSeconds[attempt];
  if (seconds === undefined) return null;
  const wait = Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random));
  return Math.max(wait, retryAfterMs ?? 0);
}

/**
 * Parses a `Retry-After` header: seconds or an HTTP date (RFC 9110, section 10.2.3). A wait of more than 24 h counts as 24 h.
 * @returns milliseconds from `now`, or null when the header is absent or invalid
 */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  // Every HTTP date starts with the name of a day. Without this check, Date.parse would accept other texts too, such as `1.5`.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return null;
  // A date in the form of asctime ends with the year, has no zone, and is in GMT like every HTTP date.
  const time = Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  if (Number.isNaN(time)) return null;
  return Math.min(Math.max(time - now.getTime(), 0), MAX_RETRY_AFTER_MS);
}

/**
 * Returns the longest planned time from the creation of a delivery to its last attempt, in ms: the sum of all waits of the schedule with maximum
 * jitter, without `Retry-After` and pauses. The first wait is included. It is normally 0, because the first attempt is due immediately.
 */
export const lastAttemptInMs = (scheduleSeconds: readonly number[]): number =>
  scheduleSeconds.reduce((sum, seconds) => sum + seconds * 1000 * (1 + JITTER), 0);

/**
 * Returns a list whose index is the number of attempts that a delivery has had. Each value is the longest planned time from the next attempt
 * to the last one, in ms, with maximum jitter.
 */
export const remainingScheduleMs = (scheduleSeconds: readonly number[]): number[] =>
  scheduleSeconds.map((_, made) => lastAttemptInMs(scheduleSeconds.slice(made + 1)));

/**
 * Determines the consequences of an attempt for its delivery.
 * @param current whether the attempt used the partner's current configuration; if not, a 410 counts like any other failure
 */
export function verdictOf(
  delivery: DueDelivery,
  outcome: AttemptOutcome,
  scheduleSeconds: readonly number[],
  random: number,
  current: boolean,
): Verdict {
  if (outcome.stage === null) return { status: 'delivered' };
  if (outcome.status === 410 && current) return { status: 'failed', reason: 'endpoint_gone' };
  const nextInMs = nextAttemptInMs({
    attempt: delivery.attemptCount - delivery.attemptsBeforeReplay + 1,
    scheduleSeconds,
    retryAfterMs: parseRetryAfter(outcome.retryAfter, new Date()),
    random,
  });
  return nextInMs === null ? { status: 'failed', reason: 'attempts_exhausted' } : { status: 'pending', nextInMs };
}
