import type { PaymentReceived } from '@tandem/contracts';
import type { CouponState } from './coupon.repository';

/** That a customer paid with a coupon. */
export interface Redemption {
  /** Of the code, hex. */
  couponHash: string;
  /** When the customer paid. */
  at: Date;
  subscriptionId: string;
}

/** The redemption that a payment event tells of; null for one that has nothing to do with coupons. */
export function redemptionOf(event: PaymentReceived): Redemption | null {
  const { type, subscriptionId, purchase, couponHash, redeemedAt, occurredAt } = event;
  if (type === 'coupon.redeemed' && couponHash) {
    return { couponHash, at: new Date(redeemedAt ?? occurredAt), subscriptionId };
  }
  if (type === 'subscription.purchased' && purchase?.couponHash && purchase.paymentStatus === 'captured') {
    return { couponHash: purchase.couponHash, at: new Date(occurredAt), subscriptionId };
  }
  return null;
}

/** Why a coupon could not be redeemed. */
export type RefusalReason = 'unknown' | 'expired' | 'revoked' | 'repeated' | 'redeemed before';

/**
 * @param state what has become of the coupon; undefined when there is none
 * @param isRedeemedLater whether somebody who comes later in the same batch got it: it was still active then
 */
export function refusalReason(
  state: CouponState | undefined,
  { subscriptionId }: Redemption,
  isRedeemedLater: boolean,
): RefusalReason {
  if (!state) return 'unknown';
  if (state.status === 'active' || isRedeemedLater) return 'expired';
  if (state.status === 'revoked') return 'revoked';
  return state.subscriptionId === subscriptionId ? 'repeated' : 'redeemed before';
}
