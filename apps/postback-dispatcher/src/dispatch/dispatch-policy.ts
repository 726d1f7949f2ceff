import type { PostbackDispatcherConfig } from '../config';
import type { BreakerPolicy } from './breaker.rules';
import type { ExpiryLimits } from './expiry.repository';
import { lastAttemptInMs, remainingScheduleMs } from './retry.rules';

/** The limits and times that apply when deliveries are sent to endpoints. */
export interface DispatchPolicy {
  readonly scheduleSeconds: readonly number[];
  readonly disableAfter: number;
  /** When deliveries of a failing endpoint expire. */
  readonly expiry: ExpiryLimits;
  /** How long an endpoint must have been failing before expired deliveries can disable it. */
  readonly disableAfterSeconds: number;
  readonly breaker: BreakerPolicy;
  /** Maximum requests in flight to one endpoint, unless a manager set another limit for the partner. */
  readonly concurrency: number;
  /** A worker sets a timer for deliveries that become due within this time, in ms. A sweep finds deliveries that become due later. */
  readonly horizonMs: number;
}

/** The longest timer of a worker (`horizonMs`), as a multiple of the sweep interval. */
const HORIZON = 1.5;

export function policyOf(config: PostbackDispatcherConfig): DispatchPolicy {
  const expireAfterMs = config.POSTBACK_EXPIRE_AFTER_SECONDS * 1000;
  return {
    scheduleSeconds: config.POSTBACK_RETRY_SCHEDULE_SECONDS,
    disableAfter: config.POSTBACK_DISABLE_AFTER,
    expiry: {
      afterMs: lastAttemptInMs(config.POSTBACK_RETRY_SCHEDULE_SECONDS) + expireAfterMs,
      remainingMs: remainingScheduleMs(config.POSTBACK_RETRY_SCHEDULE_SECONDS).map((ms) => ms + expireAfterMs),
    },
    disableAfterSeconds: config.POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS,
    breaker: {
      threshold: config.POSTBACK_BREAKER_THRESHOLD,
      pauseMs: config.POSTBACK_BREAKER_PAUSE_MS,
      maxPauseMs: config.POSTBACK_BREAKER_MAX_PAUSE_MS,
    },
    concurrency: config.POSTBACK_ENDPOINT_CONCURRENCY,
    horizonMs: config.POSTBACK_SWEEP_MS * HORIZON,
  };
}
