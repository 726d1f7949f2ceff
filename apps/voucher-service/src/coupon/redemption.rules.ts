import type { PaymentReceived } from '@tandem/contracts';
import type { CouponState } from './coupon.repository';

/** The redemption of a coupon, as a payment event reports it. */
export interface Redemption {
  /** The hash of the code, in hexadecimal. */
  couponHash: string;
  /** The time of the purchase, or the time of the redemption that a `coupon.redeemed` event reports. */
  at: Date;
  subscriptionId: string;
}

/** Returns the redemption that a payment event causes; null if the event redeems no coupon. */
export function redemptionOf(event: PaymentReceived): Redemption | null {
  const { type, subscriptionId, couponHash, redeemedAt, occurredAt, purchase } = event;
  if (type === 'coupon.redeemed' && couponHash) {
    return { couponHash, at: new Date(redeemedAt ?? occurredAt), subscriptionId };
  }
  if (type !== 'subscription.purchased' || purchase?.paymentStatus !== 'captured') return null;
  const { couponHash: hash } = purchase;
  return hash ? { couponHash: hash, at: new Date(occurredAt), subscriptionId } : null;
}

/** Why a coupon could not be redeemed. */
export type RefusalReason = 'unknown' | 'expired' | 'revoked' | 'repeated' | 'redeemed before';

/**
 * Returns why a payment did not redeem its coupon.
 *
 * @param state the state of the coupon; undefined when the coupon does not exist
 * @param isRedeemedLater whether a later payment of the same batch redeemed the coupon. If so, the coupon was still active when this payment
 *   was handled, so the reason can only be that the coupon had expired at the time of this payment
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
