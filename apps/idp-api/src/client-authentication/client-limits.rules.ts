import type { RateLimitPolicy } from '@tandem/rate-limit';
import type { IdpApiConfig } from '../config';

/**
 * The rate limits per user. All operations with the limit `default` share one counter, and so do those with the limit `dashboard`. Each
 * operation with the limit `onboarding` has a counter of its own.
 */
export type ClientLimit = 'default' | 'onboarding' | 'dashboard';

export const policiesOf = (config: IdpApiConfig): Record<ClientLimit, RateLimitPolicy> => ({
  default: { limit: config.RATE_LIMIT_CLIENT_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
  onboarding: { limit: config.RATE_LIMIT_ONBOARDING_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
  dashboard: { limit: config.RATE_LIMIT_DASHBOARD_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
});
