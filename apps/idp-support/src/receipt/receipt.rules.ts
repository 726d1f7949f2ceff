import type { VerifiedToken } from '@tandem/auth';
import type { SubscriptionReceipt } from '@tandem/internal-api';

const MAX_ID = 255;
const MAX_ENTITLEMENTS = 100;
const MAX_ENTITLEMENT = 100;

/**
 * Reads the receipt from the claims of a subscription receipt token. Returns null when a claim is missing or invalid, or when the token
 * belongs to another user.
 *
 * `iat` is in whole seconds, rounded down. `issuedAt` is the last ms of that second, or now if now is earlier. So an end of the subscription
 * in the same second, before the token was issued, does not end the receipt. A token without `iat` counts as issued in 1970, so that any
 * known end of the subscription ends the receipt. If the token counted as issued now, it would revive a subscription that has ended.
 */
export function receiptOf({ subject, claims }: VerifiedToken, krn: string, now: Date): SubscriptionReceipt | null {
  const { subscription_id: subscriptionId, entitlements, iat = 0 } = claims;
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
