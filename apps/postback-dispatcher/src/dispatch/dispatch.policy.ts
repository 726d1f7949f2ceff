import type { PostbackDispatcherConfig } from '../config';
import type { DispatchPolicy } from './endpoint-health';

/** How endpoints are treated, by the configuration. */
export const dispatchPolicyOf = (config: PostbackDispatcherConfig): DispatchPolicy => ({
  scheduleSeconds: config.retryScheduleSeconds,
  disableAfter: config.POSTBACK_DISABLE_AFTER,
  breaker: {
    threshold: config.POSTBACK_BREAKER_THRESHOLD,
    pauseMs: config.POSTBACK_BREAKER_PAUSE_MS,
    maxPauseMs: config.POSTBACK_BREAKER_MAX_PAUSE_MS,
  },
  concurrency: {
    start: config.POSTBACK_ENDPOINT_CONCURRENCY,
    max: Math.max(config.POSTBACK_ENDPOINT_CONCURRENCY, config.POSTBACK_ENDPOINT_CONCURRENCY_MAX),
  },
});
