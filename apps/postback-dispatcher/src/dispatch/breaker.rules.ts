/** The settings that determine when an endpoint is paused, and for how long. */
export interface BreakerPolicy {
  /** The number of failures in a row, of any kind, that opens the breaker. */
  readonly threshold: number;
  /** The first pause. Each further pause in a row is twice as long. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

/** The state of an endpoint's breaker. All times are Unix milliseconds of the same clock. */
export interface BreakerState {
  readonly failuresInARow: number;
  /** The number of pauses in a row, without a success in between. At 0, the breaker is closed. Above 0, requests are sent one by one. */
  readonly level: number;
  /** Nothing is sent before this time. */
  readonly blockedUntil: number;
  /** When the last pause began. A result of a request that was sent before this time neither ends the pause nor starts another one. */
  readonly pausedAt: number;
}

export const CLOSED_BREAKER: BreakerState = { failuresInARow: 0, level: 0, blockedUntil: 0, pausedAt: 0 };

/** Statuses with which an endpoint, or a proxy in front of the endpoint, reports overload. */
const OVERLOAD_STATUSES = new Set([429, 502, 503, 504]);

/**
 * Returns whether a failure immediately pauses the endpoint. Any other failure delays only its own delivery, unless it is the last of
 * `threshold` failures in a row, or the breaker is not closed.
 */
export const slowsEndpoint = (failure: { status: number | null; timedOut: boolean }): boolean =>
  failure.timedOut || (failure.status !== null && OVERLOAD_STATUSES.has(failure.status));

export interface FailureSeen {
  readonly startedAt: number;
  readonly now: number;
  readonly slows: boolean;
  readonly retryAfterMs: number | null;
}

/** Returns the breaker's state after a success. The success of a request that was sent before the pause does not end the pause. */
export function afterSuccess(state: BreakerState, startedAt: number): BreakerState {
  return startedAt < state.pausedAt ? state : CLOSED_BREAKER;
}

/** The pauses do not grow from this level on. The table stores the level in two bytes. */
const MAX_LEVEL = 30;

/**
 * Returns the breaker's state after a failure. Failures of requests that were sent before the pause do not start another pause, because
 * they have the same cause as the failure that paused the endpoint. But their `Retry-After` may extend the pause.
 */
export function afterFailure(state: BreakerState, failure: FailureSeen, policy: BreakerPolicy): BreakerState {
  const failuresInARow = state.failuresInARow + 1;
  const askedUntil = failure.slows && failure.retryAfterMs !== null ? failure.now + failure.retryAfterMs : 0;
  const blockedUntil = Math.max(state.blockedUntil, askedUntil);
  const pauses = failure.slows || failuresInARow >= policy.threshold || state.level > 0;
  if (!pauses || failure.startedAt < state.pausedAt) return { ...state, failuresInARow, blockedUntil };
  const pauseMs = Math.min(policy.maxPauseMs, policy.pauseMs * 2 ** state.level);
  return {
    failuresInARow,
    level: Math.min(state.level + 1, MAX_LEVEL),
    blockedUntil: Math.max(blockedUntil, failure.now + pauseMs),
    pausedAt: failure.now,
  };
}
