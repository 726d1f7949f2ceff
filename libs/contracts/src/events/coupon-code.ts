import { createHmac } from 'node:crypto';

const FORM = /^[A-HJ-NP-Z2-9]{16}$/i;

/**
 * Returns the stored form of a code that a person typed: in upper case, without hyphens and surrounding white space.
 *
 * @returns null when the text cannot be a code
 */
export function normaliseCouponCode(typed: string): string | null {
  const code = typed.trim().replaceAll('-', '');
  // The form is checked before the text is changed to upper case, because this change turns some letters outside of
  // ASCII into letters that codes use.
  return FORM.test(code) ? code.toUpperCase() : null;
}

/**
 * Returns the hash that stands for a coupon's code in events (`couponHash` of `payment.received`). Events do not
 * contain the code itself, because everyone who has it can redeem the coupon. The hash is HMAC-SHA-256 in hex, over the
 * code as {@link normaliseCouponCode} returns it. A text that cannot be a code is hashed unchanged, and its hash
 * matches no coupon.
 *
 * @param key the key in the variable `COUPON_HASH_KEY`, the same in webhook-ingest and voucher-service
 */
export function couponHash(typed: string, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(normaliseCouponCode(typed) ?? typed, 'utf8')
    .digest('hex');
}
