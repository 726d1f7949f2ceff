import { rule, type Section } from './rule';

/** Voucher groups and coupon codes. */
export const VOUCHERS: Section = {
  title: 'Vouchers',
  rules: [
    rule(
      'vouchers.group',
      'A group is `{"id","name","status","product":{"name","tier","periodMonths"},"currency","issued","redeemed","remaining","validFrom","validUntil","createdAt"}`.',
    ),
    rule('vouchers.groups-active', 'Only active groups of the account are listed.'),
    rule(
      'vouchers.coupon',
      'A coupon is `id, code, voucherGroupId, status, batchId, createdAt, expiresAt, redeemedAt`.',
    ),
    rule(
      'vouchers.states',
      'The states are `active → redeemed | expired | revoked`. The last three are final, with one exception: a payment from before the end of the group redeems an expired coupon.',
    ),
    rule('vouchers.status-filter', '`status` filters the list; an unknown value gets 422.'),
    rule(
      'vouchers.page',
      'A page is `{"items","nextCursor","hasMore"}`, newest first, read by keyset and not by offset.',
    ),
    rule('vouchers.limit', '`limit` is 1–500, 100 by default.'),
    rule('vouchers.next-page', 'When `hasMore` is true, `nextCursor` passed as `cursor` returns the next page.'),
    rule(
      'vouchers.cursor',
      'The cursor is opaque and bound to group and status: with another group or status, it gets 400 `invalid_cursor`.',
    ),
    rule('vouchers.page-cost', 'A page far from the start of the list costs no more than the first page.'),
    rule(
      'vouchers.create',
      'A creation with `{"voucherGroupId","count"}` answers 201 `{"batchId","requestedCount","count","items"}`.',
    ),
    rule(
      'vouchers.create-query',
      '`voucherGroupId` and `count` are also accepted in the query. If body and query have different values, the request gets 422.',
    ),
    rule('vouchers.count-default', 'Without `count`, or with null, 10 codes are created.'),
    rule('vouchers.count-above-500', '`count` above 500 is not refused: 10 codes are created.'),
    rule(
      'vouchers.count-invalid',
      'A `count` that is 0, negative, a fraction, infinite or not a number (such as a JSON string) gets 422.',
    ),
    rule('vouchers.requested-count', '`requestedCount` is the requested number; without `count` it is null.'),
    rule('vouchers.all-or-nothing', 'Either all codes of a request are created, or none.'),
    rule(
      'vouchers.one-at-a-time',
      'Only one request of a partner token creates codes at a time, even across replicas.',
    ),
    rule('vouchers.crash-frees', 'After a crash while codes are created, the token can create codes again at once.'),
    rule('vouchers.stock', 'The stock of a group is never oversold.'),
    rule(
      'vouchers.idempotency-replay',
      'A repeated request with the same `Idempotency-Key` gets the stored answer, with `Idempotency-Replayed: true`.',
    ),
    rule(
      'vouchers.idempotency-life',
      'An idempotency key has at most 255 characters, and is kept for 24 h. Several tokens can use the same key independently.',
    ),
    rule(
      'vouchers.idempotency-failures',
      'Only successes are stored: after a failure the same idempotency key can be used again.',
    ),
    rule('vouchers.idempotency-empty', 'An empty `Idempotency-Key` gets 422.'),
    rule(
      'vouchers.code-form',
      'A code has 16 symbols of `ABCDEFGHJKLMNPQRSTUVWXYZ23456789`, and is shown as `XXXX-XXXX-XXXX-XXXX`.',
    ),
    rule('vouchers.code-random', 'Codes are random and unique, and are stored in a normalized form.'),
    rule('vouchers.code-match', 'Codes match regardless of hyphens and case.'),
    rule('vouchers.redeem', 'A captured purchase with `couponCode` redeems the coupon.'),
    rule('vouchers.test-data', 'A test token sees and creates only test vouchers.'),
  ],
};
