import type { PartnerScope } from '@tandem/auth';
import type { RateLimitPolicy } from '@tandem/rate-limit';
import type { PartnerGatewayConfig } from '../config';

/** The limited actions of a token; each is counted separately. */
export type PolicyName = 'checkout' | 'read' | 'write' | 'voucher-create';

/** The policies of partner tokens. */
export function policiesOf(config: PartnerGatewayConfig): Record<PolicyName, RateLimitPolicy> {
  const windowSeconds = config.RATE_LIMIT_WINDOW_SECONDS;
  return {
    checkout: { limit: config.RATE_LIMIT_CHECKOUT_PER_MINUTE, windowSeconds },
    read: { limit: config.RATE_LIMIT_READ_PER_MINUTE, windowSeconds },
    write: { limit: config.RATE_LIMIT_WRITE_PER_MINUTE, windowSeconds },
    'voucher-create': { limit: config.RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE, windowSeconds },
  };
}

/** Returns the policy that applies to a request. Without a scope, only the method decides. */
export function policyOf(scope: PartnerScope | undefined, method: string): PolicyName {
  if (scope === 'checkout:create') return 'checkout';
  if (scope === 'vouchers:create') return 'voucher-create';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
