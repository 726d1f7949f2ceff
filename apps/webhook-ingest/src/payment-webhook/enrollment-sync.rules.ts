import type { EnrollmentSync, PaymentReceived, SubscriptionChangeType } from '@tandem/contracts';

const SUBSCRIPTION = 'subscription.';

/**
 * Returns the data of the event `enrollment.sync` for a payment; null for `coupon.redeemed`, which changes no entitlements. A payment
 * without a KRN also causes this event, because idp-api may know the user of the subscription.
 */
export function enrollmentSyncOf(payment: PaymentReceived): EnrollmentSync | null {
  const { type, subscriptionId, occurredAt, effectiveAt, entitlements, customer, purchase } = payment;
  const krn = customer?.krn;
  if (!type.startsWith(SUBSCRIPTION)) return null;
  return {
    ...(krn !== undefined && { krn }),
    cause: 'subscription',
    subscription: {
      subscriptionId,
      type: type.slice(SUBSCRIPTION.length) as SubscriptionChangeType,
      occurredAt,
      ...(effectiveAt !== undefined && { effectiveAt }),
      ...(entitlements !== undefined && { entitlements }),
      ...(purchase && { paymentStatus: purchase.paymentStatus }),
    },
  };
}
