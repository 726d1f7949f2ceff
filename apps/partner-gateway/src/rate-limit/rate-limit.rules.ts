import type { PartnerScope } from '@tandem/auth';

/** What a token may do so often; each is counted on its own. */
export const RATE_LIMIT_POLICIES = ['checkout', 'read', 'write', 'voucher-create'] as const;
export type RateLimitPolicy = (typeof RATE_LIMIT_POLICIES)[number];

/** How often a token may. */
export interface Quota {
  readonly policy: RateLimitPolicy;
  /** In any time as long as the window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Permits that a process draws at once from the shared count. */
  readonly batch: number;
}

/** Where a token stands under a policy. */
export interface Standing {
  readonly allowed: boolean;
  /** What is left. */
  readonly remaining: number;
  /** Until more is there. */
  readonly resetSeconds: number;
}

/** The share of a limit that a process may hold unused: so much for each replica the shared limit can be off. */
const BATCH_SHARE = 0.01;

/** A small limit has batches of one, which makes it exact. */
export const quotaOf = (policy: RateLimitPolicy, limit: number, windowSeconds: number): Quota => ({
  policy,
  limit,
  windowSeconds,
  batch: Math.max(1, Math.floor(limit * BATCH_SHARE)),
});

/** The policy that a request comes under; without a scope the method alone decides. */
export function policyOf(scope: PartnerScope | undefined, method: string): RateLimitPolicy {
  if (scope === 'checkout:create') return 'checkout';
  if (scope === 'vouchers:create') return 'voucher-create';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/** draft-ietf-httpapi-ratelimit-headers-11: structured fields, a string for the policy's name. */
export const rateLimitHeaders = (
  { policy, limit, windowSeconds }: Quota,
  { remaining, resetSeconds }: Standing,
): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
});
