/** How many requests a caller may send. */
export interface RateLimitPolicy {
  /** The maximum number of requests in any interval of the window's length; at most 1,000,000,000. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** How messages name the caller. Default: `token`. */
  readonly caller?: string;
}

/** A policy with the values that counting needs. */
export interface Quota extends RateLimitPolicy {
  /** The policy's name. */
  readonly policy: string;
  /** Maximum number of permits that a process reserves in one statement, unless more requests are waiting. */
  readonly batch: number;
}

/** How much of a policy's limit a caller has left. */
export interface Standing {
  readonly allowed: boolean;
  /** Requests left. */
  readonly remaining: number;
  /** Seconds until a further permit is free; at least 1. */
  readonly resetSeconds: number;
}

/** The share of a limit that a process may hold unused. Each replica can make the shared limit inexact by this share. */
const BATCH_SHARE = 0.01;

/** Returns a policy with its batch. A limit below 200 has batches of one permit, and so is exact. */
export const quotaOf = (policy: string, { limit, windowSeconds, caller }: RateLimitPolicy): Quota => ({
  policy,
  ...(caller !== undefined && { caller }),
  limit,
  windowSeconds,
  batch: Math.max(1, Math.floor(limit * BATCH_SHARE)),
});

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers-11: structured fields in which the policy's name is a string. */
export const rateLimitHeaders = (
  { policy, limit, windowSeconds }: Quota,
  { remaining, resetSeconds }: Standing,
): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
});
