/** When an endpoint is left alone, and for how long. */
export interface BreakerPolicy {
  /** Failures in a row that open the breaker, whatever they are. */
  readonly threshold: number;
  /** The first pause; each further one in a row doubles. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

/** An endpoint's breaker; times are Unix milliseconds of one clock. */
export interface BreakerState {
  readonly failuresInARow: number;
  /** How many pauses in a row there were; 0 = closed. Above 0 one request at a time is made. */
  readonly level: number;
  /** Nothing is sent before. */
  readonly blockedUntil: number;
  /** When the last pause began: what had been sent before tells nothing new. */
  readonly pausedAt: number;
}

export const CLOSED_BREAKER: BreakerState = { failuresInARow: 0, level: 0, blockedUntil: 0, pausedAt: 0 };

/** Statuses by which an endpoint, or what stands in front of it, says that it is overloaded. */
const OVERLOAD_STATUSES = new Set([429, 502, 503, 504]);

/** Whether the failure slows the whole endpoint at once, not only its message. */
export const slowsEndpoint = (failure: { status: number | null; timedOut: boolean }): boolean =>
  failure.timedOut || (failure.status !== null && OVERLOAD_STATUSES.has(failure.status));

export interface FailureSeen {
  readonly startedAt: number;
  readonly now: number;
  readonly slows: boolean;
  readonly retryAfterMs: number | null;
}

/** The breaker after a success. One that was sent before the pause began does not end it. */
export function afterSuccess(state: BreakerState, startedAt: number): BreakerState {
  return startedAt < state.pausedAt ? state : CLOSED_BREAKER;
}

/** The breaker after a failure. Failures of requests sent before the pause began do not lengthen it: they are one event. */
export function afterFailure(state: BreakerState, failure: FailureSeen, policy: BreakerPolicy): BreakerState {
  const failuresInARow = state.failuresInARow + 1;
  const askedUntil = failure.slows && failure.retryAfterMs !== null ? failure.now + failure.retryAfterMs : 0;
  const blockedUntil = Math.max(state.blockedUntil, askedUntil);
  const pauses = failure.slows || failuresInARow >= policy.threshold || state.level > 0;
  if (!pauses || failure.startedAt < state.pausedAt) return { ...state, failuresInARow, blockedUntil };
  const pauseMs = Math.min(policy.maxPauseMs, policy.pauseMs * 2 ** Math.min(state.level, 30));
  return {
    failuresInARow,
    level: state.level + 1,
    blockedUntil: Math.max(blockedUntil, failure.now + pauseMs),
    pausedAt: failure.now,
  };
}
