import type { PaymentReceived } from '@tandem/contracts';

/** That a customer paid with a coupon. */
export interface Redemption {
  /** As the customer typed it. */
  code: string;
  /** When the customer paid. */
  at: Date;
  subscriptionId: string;
}

/** The redemption that a payment event tells of; null for one that has nothing to do with coupons. */
export function redemptionOf(event: PaymentReceived): Redemption | null {
  const { type, subscriptionId, purchase, couponCode, redeemedAt, occurredAt } = event;
  if (type === 'coupon.redeemed' && couponCode) {
    return { code: couponCode, at: new Date(redeemedAt ?? occurredAt), subscriptionId };
  }
  if (type === 'subscription.purchased' && purchase?.couponCode && purchase.paymentStatus === 'captured') {
    return { code: purchase.couponCode, at: new Date(occurredAt), subscriptionId };
  }
  return null;
}
