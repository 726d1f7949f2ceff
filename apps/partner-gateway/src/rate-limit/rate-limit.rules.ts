import type { PartnerScope } from '@tandem/auth';
import type { RateLimitPolicy } from '@tandem/rate-limit';
import type { PartnerGatewayConfig } from '../config';

/** The kinds of requests with a token. Each kind is counted separately and has its own limit. */
export type TokenPolicyName = 'checkout' | 'read' | 'write' | 'voucher-create';
/** The policies of tokens and of applications. `application` limits each address; `application-all` limits all addresses together. */
export type PolicyName = TokenPolicyName | 'application' | 'application-all';

const HOUR_SECONDS = 3_600;

/** Returns the policies of partner tokens and of applicants. */
export function policiesOf(config: PartnerGatewayConfig): Record<PolicyName, RateLimitPolicy> {
  const windowSeconds = config.RATE_LIMIT_WINDOW_SECONDS;
  return {
    checkout: { limit: config.RATE_LIMIT_CHECKOUT_PER_MINUTE, windowSeconds },
    read: { limit: config.RATE_LIMIT_READ_PER_MINUTE, windowSeconds },
    write: { limit: config.RATE_LIMIT_WRITE_PER_MINUTE, windowSeconds },
    'voucher-create': { limit: config.RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE, windowSeconds },
    application: {
      limit: config.PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR,
      windowSeconds: HOUR_SECONDS,
      caller: 'IP address',
    },
    'application-all': {
      limit: config.PARTNER_APPLICATIONS_PER_DAY,
      windowSeconds: 24 * HOUR_SECONDS,
      caller: 'service',
    },
  };
}

/**
 * Returns the policy that applies to a request. Creating checkout URLs and creating coupons have their own policies, which the endpoint's
 * scope selects. For all other requests, the HTTP method decides.
 */
export function policyOf(scope: PartnerScope | undefined, method: string): TokenPolicyName {
  if (scope === 'checkout:create') return 'checkout';
  if (scope === 'vouchers:create') return 'voucher-create';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
