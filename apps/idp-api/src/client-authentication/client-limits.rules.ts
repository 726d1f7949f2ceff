import type { RateLimitPolicy } from '@tandem/rate-limit';
import type { IdpApiConfig } from '../config';

/**
 * The rate limits per user. All operations of a limit share its counter, except that each operation under `onboarding` is counted
 * separately.
 */
export type ClientLimit = 'default' | 'onboarding' | 'dashboard';

export const policiesOf = (config: IdpApiConfig): Record<ClientLimit, RateLimitPolicy> => ({
  default: { limit: config.RATE_LIMIT_CLIENT_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
  onboarding: { limit: config.RATE_LIMIT_ONBOARDING_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
  dashboard: { limit: config.RATE_LIMIT_DASHBOARD_PER_MINUTE, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS },
});
