import type { RateLimitPolicy } from '@tandem/service-defaults';
import type { IdpApiConfig } from '../config';

/** What a user may do so often in a minute. Each operation under `onboarding` is counted on its own. */
export type ClientLimit = 'default' | 'onboarding' | 'dashboard';

const WINDOW_SECONDS = 60;

export const policiesOf = (config: IdpApiConfig): Record<ClientLimit, RateLimitPolicy> => ({
  default: { limit: config.RATE_LIMIT_CLIENT_PER_MINUTE, windowSeconds: WINDOW_SECONDS },
  onboarding: { limit: config.RATE_LIMIT_ONBOARDING_PER_MINUTE, windowSeconds: WINDOW_SECONDS },
  dashboard: { limit: config.RATE_LIMIT_DASHBOARD_PER_MINUTE, windowSeconds: WINDOW_SECONDS },
});
