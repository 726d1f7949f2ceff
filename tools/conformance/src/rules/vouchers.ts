import { pendingRule, type Rule, type Section } from './rule';

const pending = (id: string, promise: string, ...tests: string[]): Rule =>
  pendingRule('the voucher endpoints are being built', id, promise, ...tests);

/** Voucher groups and coupon codes. */
export const VOUCHERS: Section = {
  title: 'Vouchers',
  rules: [
    pending(
      'vouchers.group',
      'A group is `{"id","name","status","product":{"name","tier","periodMonths"},"currency","issued","redeemed","remaining","validFrom","validUntil","createdAt"}`.',
    ),
    pending('vouchers.groups-active', 'Only active groups of the account are listed.'),
    pending(
      'vouchers.coupon',
      'A coupon is `id, code, voucherGroupId, status, batchId, createdAt, expiresAt, redeemedAt`.',
    ),
    pending('vouchers.states', '`active → redeemed | expired | revoked`, all three final.'),
    pending('vouchers.status-filter', '`status` filters; an unknown value is 422.'),
    pending('vouchers.page', 'A page is `{"items","nextCursor","hasMore"}`, newest first, by keyset.'),
    pending('vouchers.limit', '`limit` is 1–500, 100 by default.'),
    pending('vouchers.next-page', 'When `hasMore` is true, `nextCursor` passed as `cursor` gives the following page.'),
    pending(
      'vouchers.cursor',
      'The cursor is opaque and bound to group and status: another one is 400 `invalid_cursor`.',
    ),
    pending('vouchers.page-cost', 'The cost of a page does not grow with its depth.'),
    pending(
      'vouchers.create',
      '`{"voucherGroupId","count"}` gives 201 `{"batchId","requestedCount","count","items"}`.',
    ),
    pending('vouchers.create-query', 'Both are also accepted in the query; body and query that differ are 422.'),
    pending('vouchers.count-default', '`count` missing or null makes 10.'),
    pending('vouchers.count-above-500', '`count` above 500 makes 10, and is not rejected.'),
    pending('vouchers.count-invalid', '`count` ≤ 0, fractions, non-numbers (a JSON string too) and infinite are 422.'),
    pending('vouchers.requested-count', '`requestedCount` is what was asked for, null when left out.'),
    pending('vouchers.all-or-nothing', 'All codes of a request are made, or none.'),
    pending('vouchers.one-at-a-time', 'One creation runs at a time for a partner token, also across replicas.'),
    pending('vouchers.crash-frees', 'A crash frees the token at once.'),
    pending('vouchers.stock', 'The stock of a group is never oversold.'),
    pending(
      'vouchers.idempotency-replay',
      '`Idempotency-Key` replays the stored answer with `Idempotency-Replayed: true`.',
    ),
    pending('vouchers.idempotency-life', 'A key is at most 255 characters, and is kept 24 h for a token.'),
    pending('vouchers.idempotency-failures', 'Only successes are stored: after a failure the key works again.'),
    pending('vouchers.idempotency-empty', 'An empty key is 422.'),
    pending(
      'vouchers.code-form',
      'A code is 16 symbols of `ABCDEFGHJKLMNPQRSTUVWXYZ23456789`, shown `XXXX-XXXX-XXXX-XXXX`.',
    ),
    pending('vouchers.code-random', 'Codes are of cryptographic randomness, stored normalised, unique.'),
    pending('vouchers.code-match', 'A code matches without hyphens and case.'),
    pending('vouchers.redeem', 'A captured purchase with `couponCode` redeems the coupon.'),
    pending('vouchers.test-data', 'A test token sees and makes only test vouchers.'),
  ],
};
