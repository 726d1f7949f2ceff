import { ErrorOf } from '@tandem/http-api';
import type { SaleStatus } from './sale.entity';

/**
 * The sale does not exist, is not attributed to a partner, or belongs to another partner or to the other environment. All these cases get
 * the same answer.
 */
export class SubscriptionNotFoundError extends ErrorOf(
  'subscription_not_found',
  'There is no sale with this subscription id',
) {}

export class SaleNotRevocableError extends Error {
  readonly code = 'sale_not_revocable';

  constructor(status: SaleStatus) {
    super(`Only a qualified sale can be revoked; this one is ${status}`);
  }
}

export class RevokeWindowClosedError extends Error {
  readonly code = 'revoke_window_closed';

  constructor(days: number) {
    super(`A sale can be revoked for ${days} days; this one is older`);
  }
}

/** Only a held sale can be released or refused. */
export class SaleNotHeldError extends Error {
  readonly code = 'sale_not_held';

  constructor(status: SaleStatus) {
    super(`The sale is ${status}, not held`);
  }
}

/** The partner of a held sale is inactive. Such a sale cannot qualify, so it cannot be released. */
export class PartnerInactiveError extends ErrorOf(
  'partner_inactive',
  'The partner is not active: activate it before releasing its sales',
) {}
