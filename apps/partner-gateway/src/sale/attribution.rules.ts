import type { Environment } from '@tandem/contracts';
import type { CheckoutClaims } from '../checkout/checkout-token';
import type { SellingPromotion } from '../promotion/promotion.repository';

/** Whose sale a purchase is. */
export interface Attribution {
  partnerId: string;
  promotionId: string;
  environment: Environment;
  sharedId: string;
  attributedBy: 'checkout' | 'code';
  attributedAt: Date;
}

/** What a purchase says about how it came about, looked up. */
export interface AttributionEvidence {
  /** Of a checkout token that was good at the time of the purchase. */
  claims: CheckoutClaims | null;
  /** The promotion that the token names. */
  byId: SellingPromotion | null;
  /** The promotion whose code was used. */
  byCode: SellingPromotion | null;
  data4: string | undefined;
  purchasedAt: Date;
}

/**
 * Decides whose sale a purchase is: a valid checkout token's partner, else the owner of the promotion code.
 *
 * A token keeps the promise of its day even if the promotion was ended since: the customer got the discount. A code counts
 * while its promotion is active, by the time of the purchase and not of the event's arrival.
 */
export function attribute(evidence: AttributionEvidence): Attribution | null {
  const { claims, byId, byCode, data4 = '', purchasedAt: attributedAt } = evidence;
  if (claims !== null && byId?.partnerId === claims.partnerId) {
    const { partnerId, promotionId, environment, refId } = claims;
    return { partnerId, promotionId, environment, sharedId: refId ?? data4, attributedBy: 'checkout', attributedAt };
  }
  if (byCode !== null && (byCode.deactivatedAt === null || attributedAt < byCode.deactivatedAt)) {
    const { partnerId, id: promotionId } = byCode;
    return { partnerId, promotionId, environment: 'live', sharedId: data4, attributedBy: 'code', attributedAt };
  }
  return null;
}

/** Of two events about one subscription, the one whose word counts: a token before a code, then the earlier one. */
export function strongerAttribution(one: Attribution | null, other: Attribution | null): Attribution | null {
  if (one === null || other === null) return one ?? other;
  if (one.attributedBy !== other.attributedBy) return one.attributedBy === 'checkout' ? one : other;
  return other.attributedAt < one.attributedAt ? other : one;
}
