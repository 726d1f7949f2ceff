import type { VerifiedToken } from '@tandem/auth';
import type { SubscriptionReceipt } from '@tandem/internal-api';

const MAX_ID = 255;
const MAX_ENTITLEMENTS = 100;
const MAX_ENTITLEMENT = 100;

/**
 * What a subscription receipt token says of a user's subscription; null when it does not say it, or of another user.
 *
 * It counts from its `iat` on, which has whole seconds: from the end of that second, so that what ended the subscription in the same
 * second before does not end it; never from a time to come. One without `iat` says nothing: counted from now, it would revive a
 * subscription that has ended since.
 */
export function receiptOf({ subject, claims }: VerifiedToken, krn: string, now: Date): SubscriptionReceipt | null {
  const { subscription_id: subscriptionId, entitlements, iat } = claims;
  if (subject !== krn || !isText(subscriptionId, MAX_ID) || !isEntitlements(entitlements)) return null;
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return null;
  const issued = Math.floor(iat) * 1000 + 999;
  const issuedAt = new Date(Math.max(0, Math.min(issued, now.getTime()))).toISOString();
  return { subscriptionId, entitlements, issuedAt };
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= max && !/\0|\p{Surrogate}/u.test(value);

const isEntitlements = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_ENTITLEMENTS &&
  value.every((one) => isText(one, MAX_ENTITLEMENT));
