import { rule, type Section } from './rule';

const qualifying = (title: string): string =>
  `payment-received.int.spec.ts › payment.received › a qualifying sale › ${title}`;
const not = (title: string): string =>
  `payment-received.int.spec.ts › payment.received › a purchase that does not qualify › ${title}`;
const order = (title: string): string =>
  `payment-received.int.spec.ts › payment.received › order and repetition › ${title}`;
const fraud = (title: string): string => `hold-sales.int.spec.ts › payment.received › that looks like fraud › ${title}`;
const ASSESS = 'sale.rules.spec.ts › assess › of %s';

/** When a purchase is a partner's sale. */
export const SALES: Section = {
  title: 'Sales',
  rules: [
    rule(
      'sales.states',
      '`pending → qualified → revoked | refunded | charged_back`, `pending → held → qualified`, `pending → failed`.',
      ASSESS,
      order('of %s ends the same in every order, with one sale at most'),
      'review-sales.int.spec.ts › held sales › qualify when released, once, and can then be revoked',
      'revoke-sale.int.spec.ts › * › stays revoked when a refund follows',
    ),
    rule('sales.captured', 'Only a captured payment qualifies.', not('because it %s'), ASSESS),
    rule(
      'sales.total',
      'The total must be more than 0.',
      not('because it %s'),
      'money.rules.spec.ts › isMoreThanZero › of %s is %s',
    ),
    rule('sales.first-payment', 'Only the first payment of a subscription qualifies.', not('because it %s')),
    rule(
      'sales.partner-active',
      'The partner must be active.',
      not('because the partner is inactive, also when it is active again later'),
    ),
    rule(
      'sales.not-held',
      'A held sale does not qualify until it is released.',
      ASSESS,
      'review-sales.int.spec.ts › held sales › qualify when released, once, and can then be revoked',
    ),
    rule(
      'sales.by-token',
      'The discount is known by a valid signed checkout token.',
      qualifying('is published with exactly what the postback needs'),
    ),
    rule(
      'sales.by-code',
      'Or by the promotion’s own code.',
      qualifying('is known by the promotion code in any case, and shares data4'),
    ),
    rule(
      'sales.one-per-oid',
      'There is exactly one qualified sale for an `oid`.',
      order('of ten purchases at once makes one sale'),
      order('of five captures of a pending sale at once makes one sale'),
      'payment-received.int.spec.ts › payment.received › on the bus › becomes sale.completed, once for an event that comes three times',
    ),
    rule(
      'sales.shared-id',
      '`sharedId` is the token’s reference if it has one, else the sale’s `data4`, else `""`.',
      'attribution.rules.spec.ts › attribute › with ref %p and data4 %p shares %p',
      qualifying('is published with exactly what the postback needs'),
      qualifying('is known by the promotion code in any case, and shares data4'),
    ),
    rule(
      'sales.token-forged',
      'A forged token attributes nothing.',
      qualifying('goes by the code when the token is forged'),
      'checkout-token.spec.ts › checkout tokens › are refused when any character is changed',
    ),
    rule(
      'sales.token-expired',
      'A token that was expired at the time of the purchase attributes nothing.',
      qualifying('goes by a token that was good at the time of the purchase, not at its arrival'),
    ),
    rule(
      'sales.token-of-another',
      'A token of another partner’s discount attributes nothing.',
      'attribution.rules.spec.ts › attribute › is nobody when the token names a promotion of another partner',
    ),
    rule(
      'sales.token-wins',
      'A valid token wins over a promotion code.',
      qualifying('goes to the partner of the token when another partner owns the code'),
    ),
    rule(
      'sales.refund-first',
      'A refund or charge-back newer than a purchase that arrives after it: no postback, not revocable.',
      order('of a refund before its purchase is neither a sale nor revocable'),
      order('of a refund that is older than the purchase does not matter'),
    ),
    rule(
      'sales.captured-later',
      '`captured` after `failed` or `pending` qualifies then.',
      order('of %s ends the same in every order, with one sale at most'),
    ),
    rule(
      'sales.time',
      'The payment event’s `timestamp` is the time of the sale.',
      qualifying('is published with exactly what the postback needs'),
      'webhook-ingest/test/payment-webhook.int.spec.ts › POST /idp/payments/webhook › stores a purchase with exactly its bytes, and publishes it with the e-mail masked',
    ),
    rule(
      'sales.hold-own-address',
      'Held: the buyer’s address is the partner’s contact.',
      fraud("holds a purchase with the partner's own address"),
    ),
    rule(
      'sales.hold-disposable',
      'Held: a disposable mail domain, by a list that the operator can change.',
      fraud('holds a purchase with a disposable address'),
      'fraud.rules.spec.ts › findHoldReason › holds a sale to %s',
      'fraud.rules.spec.ts › findHoldReason › lets a sale to %s through',
    ),
    rule(
      'sales.hold-frequency',
      'Held: more than 5 sales in an hour from one address.',
      fraud('holds the sixth sale of a buyer within an hour, also when all come at once'),
      fraud('lets exactly 5 of 30 sales of a buyer through that reach two processes at once and out of order'),
      fraud('counts no sale that is exactly one hour before or after'),
      fraud('counts an hour only'),
    ),
  ],
};
