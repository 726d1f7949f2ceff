import { Injectable } from '@nestjs/common';
import { IdpApiConfig } from '../config';

/** What a user may do so often in a minute. */
export type ClientLimit = 'default' | 'onboarding' | 'dashboard';

/** Counts requests. */
export abstract class RateLimits {
  /**
   * Counts a request, unless the limit has no room for it.
   *
   * @param key whose requests are counted together
   */
  abstract take(key: string, limit: ClientLimit): Promise<{ allowed: boolean; resetSeconds: number }>;
}

const WINDOW_MS = 60_000;

/** Of one process: every replica counts for itself. */
@Injectable()
export class ProcessRateLimits extends RateLimits {
  private readonly taken = new Map<string, number[]>();
  private readonly limits: Readonly<Record<ClientLimit, number>>;

  constructor(config: IdpApiConfig) {
    super();
    this.limits = {
      default: config.RATE_LIMIT_CLIENT_PER_MINUTE,
      onboarding: config.RATE_LIMIT_ONBOARDING_PER_MINUTE,
      dashboard: config.RATE_LIMIT_DASHBOARD_PER_MINUTE,
    };
  }

  async take(key: string, limit: ClientLimit): Promise<{ allowed: boolean; resetSeconds: number }> {
    const now = performance.now();
    const times = (this.taken.get(`${limit} ${key}`) ?? []).filter((time) => time > now - WINDOW_MS);
    const allowed = times.length < this.limits[limit];
    if (allowed) times.push(now);
    this.taken.set(`${limit} ${key}`, times);
    return { allowed, resetSeconds: Math.max(1, Math.ceil(((times[0] ?? now) + WINDOW_MS - now) / 1000)) };
  }
}
