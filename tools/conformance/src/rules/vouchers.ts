import { rule, type Section } from './rule';

const gateway = (title: string): string => `partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › ${title}`;
const creating = (title: string): string => gateway(`POST /partner/subscription/vouchers › ${title}`);
const listing = (title: string): string => gateway(`GET /partner/subscription/vouchers › ${title}`);
const CONTRACT = 'partner-gateway/test/vouchers.int.spec.ts › voucher-service answers with %s of the contract';
const RELAYED = gateway('%s %s › answers what the partner API says, to be kept by nobody');

const create = (title: string): string => `create-coupons.int.spec.ts › * › ${title}`;
const list = (title: string): string => `list-coupons.int.spec.ts › * › ${title}`;
const single = (title: string): string =>
  `one-creation-per-token.int.spec.ts › one creation per partner token › ${title}`;
const key = (title: string): string => `idempotency.int.spec.ts › an idempotency key › ${title}`;
const redeem = (title: string): string => `redeem-coupons.int.spec.ts › payment.received › ${title}`;
const groups = (title: string): string => `voucher-groups.int.spec.ts › voucher groups › ${title}`;
const fields = 'internal-api/test/vouchers.spec.ts › * › %s has these fields, all of them and no others';
const count = (title: string): string => `voucher.rules.spec.ts › the count of a creation › ${title}`;

/** Voucher groups and coupon codes. */
export const VOUCHERS: Section = {
  title: 'Vouchers',
  rules: [
    rule(
      'vouchers.group',
      'A group is `{"id","name","status","product":{"name","tier","periodMonths"},"currency","issued","redeemed","remaining","validFrom","validUntil","createdAt"}`.',
      fields,
      CONTRACT,
      RELAYED,
      groups('count what was made and redeemed, and what is left of a stock'),
    ),
    rule(
      'vouchers.groups-active',
      'Only active groups of the account are listed.',
      groups('are listed to their partner while coupons can be made of them, newest first'),
    ),
    rule(
      'vouchers.coupon',
      'A coupon is `id, code, voucherGroupId, status, batchId, createdAt, expiresAt, redeemedAt`.',
      fields,
      CONTRACT,
      RELAYED,
      create('makes › just what the list shows afterwards'),
      create('makes › coupons that expire when their group does'),
    ),
    rule(
      'vouchers.states',
      '`active → redeemed | expired | revoked`, all three final.',
      redeem('redeems the coupon of a captured purchase: its row, the count of its group and an event'),
      redeem('changes nothing › after a redemption, when it is %s'),
      redeem('changes nothing › for a revoked coupon'),
      redeem('changes nothing › for a purchase at the end of the group or later'),
      list('a status › becomes expired by time alone, but not when it was redeemed'),
    ),
    rule(
      'vouchers.status-filter',
      '`status` filters; an unknown value is 422.',
      list('a status › chooses those that have it'),
      list('a status › %p is refused'),
      listing('answers 422 to ?%s, without asking'),
    ),
    rule(
      'vouchers.page',
      'A page is `{"items","nextCursor","hasMore"}`, newest first, by keyset.',
      list('pages › are newest first, and leave none out'),
      list('pages › say whether another one follows'),
      list('pages › go on below what they showed when coupons were made meanwhile'),
      RELAYED,
    ),
    rule(
      'vouchers.limit',
      '`limit` is 1–500, 100 by default.',
      list('pages › have up to 100 coupons when nothing is said'),
      list('pages › with the limit %p are refused'),
      listing('answers 422 to ?%s, without asking'),
      listing('relays the limit that voucher-service refuses'),
    ),
    rule(
      'vouchers.next-page',
      'When `hasMore` is true, `nextCursor` passed as `cursor` gives the following page.',
      list('pages › say whether another one follows'),
      list('pages › are newest first, and leave none out'),
      listing('passes group, cursor, status and limit on'),
    ),
    rule(
      'vouchers.cursor',
      'The cursor is opaque and bound to group and status: another one is 400 `invalid_cursor`.',
      list('a cursor › is refused when it is %s'),
      list('a cursor › is good for its group, partner, environment and status only'),
      listing('answers 400 to a cursor of 10 kB, and 404 to such a group, without asking'),
      listing('answers %i %s as voucher-service does'),
    ),
    rule(
      'vouchers.page-cost',
      'The cost of a page does not grow with its depth.',
      list('reads as few rows for a deep page as for the first one'),
    ),
    rule(
      'vouchers.create',
      '`{"voucherGroupId","count"}` gives 201 `{"batchId","requestedCount","count","items"}`.',
      create('makes › coupons of one batch, with their event and the count of their group'),
      creating('takes %s'),
      RELAYED,
    ),
    rule(
      'vouchers.create-query',
      'Both are also accepted in the query; body and query that differ are 422.',
      creating('takes %s'),
      creating('answers 422 to %s beside ?count=20, without asking'),
      count('is refused when body and query differ, or one of them is wrong'),
      'voucher.rules.spec.ts › the group of a creation › is taken from %j and %j',
      'voucher.rules.spec.ts › the group of a creation › is refused as %j and %j',
    ),
    rule(
      'vouchers.count-default',
      '`count` missing or null makes 10.',
      creating('takes %s'),
      create('makes › for a count of %p so many: %p'),
    ),
    rule(
      'vouchers.count-above-500',
      '`count` above 500 makes 10, and is not rejected.',
      creating('takes %s'),
      create('makes › for a count of %p so many: %p'),
    ),
    rule(
      'vouchers.count-invalid',
      '`count` ≤ 0, fractions, non-numbers (a JSON string too) and infinite are 422.',
      creating('answers 422 to %s beside ?count=20, without asking'),
      count('is refused when the body says %p'),
      count('is refused when the query says %p'),
      create('makes nothing › for a count of %p: 422'),
    ),
    rule(
      'vouchers.requested-count',
      '`requestedCount` is what was asked for, null when left out.',
      create('makes › for a count of %p so many: %p'),
      count('of %j and %j is %j'),
    ),
    rule(
      'vouchers.all-or-nothing',
      'All codes of a request are made, or none.',
      single('leaves nothing behind when it is cut off in the middle, and the next one runs at once'),
      create('of a group with a stock › takes the last ones, and refuses one more'),
    ),
    rule(
      'vouchers.one-at-a-time',
      'One creation runs at a time for a partner token, also across replicas.',
      single('refuses a second one at once while the first runs, also on another replica'),
      single('runs one of many that come together'),
      single('lets another token create meanwhile'),
      creating('names the token, so that one creation runs for each'),
    ),
    rule(
      'vouchers.crash-frees',
      'A crash frees the token at once.',
      single('leaves nothing behind when it is cut off in the middle, and the next one runs at once'),
    ),
    rule(
      'vouchers.stock',
      'The stock of a group is never oversold.',
      create('of a group with a stock › is never oversold by many tokens at once on two replicas'),
      create('of a group with a stock › takes the last ones, and refuses one more'),
    ),
    rule(
      'vouchers.idempotency-replay',
      '`Idempotency-Key` replays the stored answer with `Idempotency-Replayed: true`.',
      key('gets the first answer to the letter, and makes coupons once'),
      key('gets the first answer also when its coupons have changed, the group is inactive, or the stock is used up'),
      creating('passes the Idempotency-Key on, and says when an answer is an earlier one'),
    ),
    rule(
      'vouchers.idempotency-life',
      'A key is at most 255 characters, and is kept 24 h for a token.',
      key('takes 255 characters, and no case for another'),
      key('is forgotten after a day, and old ones are removed'),
      key('belongs to its token'),
      creating('answers 422 to the Idempotency-Key %p'),
    ),
    rule(
      'vouchers.idempotency-failures',
      'Only successes are stored: after a failure the key works again.',
      key('works again after a failure'),
    ),
    rule(
      'vouchers.idempotency-empty',
      'An empty key is 422.',
      creating('answers 422 to the Idempotency-Key %p'),
      'voucher.rules.spec.ts › an idempotency key › is refused as %p',
    ),
    rule(
      'vouchers.code-form',
      'A code is 16 symbols of `ABCDEFGHJKLMNPQRSTUVWXYZ23456789`, shown `XXXX-XXXX-XXXX-XXXX`.',
      'coupon-code.spec.ts › coupon codes › are 16 symbols of the alphabet, each as likely as any other',
      create('makes › codes of 16 symbols, shown in fours, stored without hyphens, all different'),
    ),
    rule(
      'vouchers.code-random',
      'Codes are random, stored normalised, unique.',
      'coupon-code.spec.ts › coupon codes › are 16 symbols of the alphabet, each as likely as any other',
      create('makes › codes of 16 symbols, shown in fours, stored without hyphens, all different'),
      create('makes › new codes in place of those that are taken'),
    ),
    rule(
      'vouchers.code-match',
      'A code matches without hyphens and case.',
      'coupon-code.spec.ts › coupon codes › are shown in fours, and known again however they are typed',
      redeem('knows a code %s'),
    ),
    rule(
      'vouchers.redeem',
      'A captured purchase with `couponCode` redeems the coupon.',
      redeem('redeems the coupon of a captured purchase: its row, the count of its group and an event'),
      redeem('changes nothing › %s'),
      redeem('redeems once when many come at once'),
      redeem('comes over the bus'),
    ),
    rule(
      'vouchers.test-data',
      'A test token sees and makes only test vouchers.',
      gateway('%s %s › asks for the partner and the environment of the token, by a service token'),
      create('makes nothing › in %s: 404'),
      list('answers 404 voucher_group_not_found for %s'),
      groups('are listed to their partner while coupons can be made of them, newest first'),
    ),
  ],
};
