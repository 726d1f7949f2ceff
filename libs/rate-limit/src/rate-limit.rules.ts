/** How often a caller may do something. */
export interface RateLimitPolicy {
  /** Requests in any time as long as the window; at most 1,000,000,000. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Who is counted, for people: default `token`. */
  readonly caller?: string;
}

/** A policy as it is counted. */
export interface Quota extends RateLimitPolicy {
  /** The policy's name. */
  readonly policy: string;
  /** Permits that a process draws at once from the shared count. */
  readonly batch: number;
}

/** Where a caller stands under a policy. */
export interface Standing {
  readonly allowed: boolean;
  /** Requests that are left. */
  readonly remaining: number;
  /** Until more is there. */
  readonly resetSeconds: number;
}

/** The share of a limit that a process may hold unused: so much for each replica the shared limit can be off. */
const BATCH_SHARE = 0.01;

/** A small limit has batches of one, which makes it exact. */
export const quotaOf = (policy: string, { limit, windowSeconds, caller }: RateLimitPolicy): Quota => ({
  policy,
  ...(caller !== undefined && { caller }),
  limit,
  windowSeconds,
  batch: Math.max(1, Math.floor(limit * BATCH_SHARE)),
});

/** draft-ietf-httpapi-ratelimit-headers-11: structured fields, a string for the policy's name. */
export const rateLimitHeaders = (
  { policy, limit, windowSeconds }: Quota,
  { remaining, resetSeconds }: Standing,
): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
});
