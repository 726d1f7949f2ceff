import { createHmac } from 'node:crypto';

const FORM = /^[A-HJ-NP-Z2-9]{16}$/i;

/** Returns a typed code in its stored form: without hyphens, in upper case. @returns null when it cannot be a code */
export function normaliseCouponCode(typed: string): string | null {
  const code = typed.trim().replaceAll('-', '');
  // Checked before the case is changed: some foreign letters become letters of our codes in upper case.
  return FORM.test(code) ? code.toUpperCase() : null;
}

/**
 * Returns the hash by which events name a coupon, because everyone who has its code can redeem it: `couponHash` of
 * `payment.received`. HMAC-SHA-256, hex, over the normalised code. A text that cannot be a code is hashed unchanged, and matches no
 * coupon.
 *
 * @param key of `COUPON_HASH_KEY`, the same for all apps
 */
export function couponHash(typed: string, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(normaliseCouponCode(typed) ?? typed, 'utf8')
    .digest('hex');
}
