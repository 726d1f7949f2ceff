import type { EnrollmentSync, PaymentReceived, SubscriptionChangeType } from '@tandem/contracts';

const SUBSCRIPTION = 'subscription.';

/**
 * What a payment tells of its user's entitlements; null when it cannot matter to anybody: a purchase without a KRN entitles nobody,
 * and a coupon is none of a subscription.
 */
export function enrollmentSyncOf(payment: PaymentReceived): EnrollmentSync | null {
  const { type, subscriptionId, occurredAt, effectiveAt, entitlements, customer, purchase } = payment;
  const krn = customer?.krn;
  if (!type.startsWith(SUBSCRIPTION) || (purchase && krn === undefined)) return null;
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
