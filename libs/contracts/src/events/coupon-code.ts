import { createHmac } from 'node:crypto';

const FORM = /^[A-HJ-NP-Z2-9]{16}$/i;

/** A code that somebody typed, as it is stored: hyphens and case say nothing. @returns null when it can be no code */
export function normaliseCouponCode(typed: string): string | null {
  const code = typed.trim().replaceAll('-', '');
  // Looked at before its case is changed: the capitals of some foreign letters are ours.
  return FORM.test(code) ? code.toUpperCase() : null;
}

/**
 * The hash by which events name a coupon, since whoever has its code can redeem it: `couponHash` of `payment.received`.
 * HMAC-SHA-256, hex, over the normalised code. What can be no code has the hash of its own text, which is no coupon's.
 *
 * @param key of `COUPON_HASH_KEY`, the same for all apps
 */
export function couponHash(typed: string, key: Buffer): string {
  return createHmac('sha256', key)
    .update(normaliseCouponCode(typed) ?? typed, 'utf8')
    .digest('hex');
}
