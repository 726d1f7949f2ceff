import type { CheckoutClaims } from '@tandem/auth';
import type { CheckoutFault, Environment } from '@tandem/contracts';
import type { SellingPromotion } from '../promotion/promotion.repository';

/** The partner to which a purchase is attributed, and whether a checkout token or a promotion code decided this. */
export interface Attribution {
  partnerId: string;
  promotionId: string;
  environment: Environment;
  sharedId: string;
  attributedBy: 'checkout' | 'code';
  attributedAt: Date;
}

/** The claims of a checkout token, or the reason why the token was refused. */
export type CheckoutEvidence =
  | { claims: Pick<CheckoutClaims, 'partnerId' | 'promotionId' | 'environment' | 'refId'>; fault: null }
  | { claims: null; fault: CheckoutFault };

/** Why a purchase is not a partner's sale. If the purchase has both a token and a code, the reason concerns the token. */
export type UnattributedReason =
  'no_reference' | CheckoutFault | 'token_of_another_discount' | 'unknown_code' | 'code_ended';

export type AttributionResult =
  { attribution: Attribution; reason: null } | { attribution: null; reason: UnattributedReason };

type PromotionOfSale = Pick<SellingPromotion, 'id' | 'partnerId' | 'deactivatedAt'>;

/** The references to a partner in a purchase, and the promotions that were found by these references. */
export interface AttributionEvidence {
  /** The checkout token, verified as of the time of the purchase; null if the purchase has no token. */
  token: CheckoutEvidence | null;
  /** The promotion that a valid token names; null if there is no valid token or no such promotion. */
  byId: PromotionOfSale | null;
  /** Whether the purchase has a promotion code. */
  hasCode: boolean;
  /** The promotion with the code of the purchase; null if the purchase has no code or no promotion has this code. */
  byCode: PromotionOfSale | null;
  data4: string | undefined;
  purchasedAt: Date;
}

/**
 * Attributes a purchase to the partner of a valid checkout token whose promotion belongs to the same partner. Without such a token, the purchase is
 * attributed to the owner of the promotion code. A token is accepted even if its promotion has since been deactivated, because the customer was
 * promised the discount. A code is accepted if its promotion is active, or was deactivated only after the purchase, even if the event of the purchase
 * arrives after the deactivation.
 */
export function attribute(evidence: AttributionEvidence): AttributionResult {
  const { token, byId, byCode, data4 = '', purchasedAt: attributedAt } = evidence;
  const claims = token?.claims ?? null;
  if (claims !== null && byId?.partnerId === claims.partnerId) {
    const { partnerId, promotionId, environment, refId } = claims;
    const sharedId = refId ?? data4;
    const attributedBy = 'checkout';
    return {
      attribution: { partnerId, promotionId, environment, sharedId, attributedBy, attributedAt },
      reason: null,
    };
  }
  if (byCode !== null && (byCode.deactivatedAt === null || attributedAt < byCode.deactivatedAt)) {
    const { partnerId, id: promotionId } = byCode;
    const attributedBy = 'code';
    return {
      attribution: { partnerId, promotionId, environment: 'live', sharedId: data4, attributedBy, attributedAt },
      reason: null,
    };
  }
  return { attribution: null, reason: reasonOf(evidence) };
}

function reasonOf({ token, hasCode, byCode }: AttributionEvidence): UnattributedReason {
  if (token !== null) return token.fault ?? 'token_of_another_discount';
  if (!hasCode) return 'no_reference';
  return byCode === null ? 'unknown_code' : 'code_ended';
}

/**
 * Returns the attribution that counts when two purchases of one subscription have different attributions. A token takes precedence over a
 * code. If both are tokens or both are codes, the attribution of the earlier purchase counts.
 */
export function strongerAttribution(one: Attribution | null, other: Attribution | null): Attribution | null {
  if (one === null || other === null) return one ?? other;
  if (one.attributedBy !== other.attributedBy) return one.attributedBy === 'checkout' ? one : other;
  return other.attributedAt < one.attributedAt ? other : one;
}
