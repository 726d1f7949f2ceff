import { rule, type Section } from './rule';

/** When a purchase is a partner's sale. */
export const SALES: Section = {
  title: 'Sales',
  rules: [
    rule(
      'sales.states',
      '`pending → qualified → revoked | refunded | charged_back`, `pending → held → qualified`, `pending → failed`.',
    ),
    rule('sales.captured', 'Only a captured payment qualifies.'),
    rule('sales.total', 'The total must be more than 0.'),
    rule('sales.first-payment', 'Only the first payment of a subscription qualifies.'),
    rule('sales.partner-active', 'The partner must be active.'),
    rule('sales.not-held', 'A held sale does not qualify until it is released.'),
    rule('sales.by-token', 'The discount is known by a valid signed checkout token.'),
    rule('sales.by-code', 'Or by the promotion’s own code.'),
    rule('sales.one-per-oid', 'There is exactly one qualified sale for an `oid`.'),
    rule('sales.shared-id', '`sharedId` is the token’s reference if it has one, else the sale’s `data4`, else `""`.'),
    rule('sales.token-forged', 'A forged token attributes nothing.'),
    rule('sales.token-expired', 'A token that was expired at the time of the purchase attributes nothing.'),
    rule('sales.token-of-another', 'A token of another partner’s discount attributes nothing.'),
    rule('sales.token-wins', 'A valid token wins over a promotion code.'),
    rule(
      'sales.refund-first',
      'A refund or charge-back newer than a purchase that arrives after it: no postback, not revocable.',
    ),
    rule(
      'sales.closed',
      'A qualified sale that is refunded or charged back publishes `sale.closed`, once for each state.',
    ),
    rule(
      'sales.closed-stops-postback',
      'A refund or charge-back stops a postback that was not sent yet, in whatever order the events come.',
    ),
    rule('sales.captured-later', '`captured` after `failed` or `pending` qualifies then.'),
    rule('sales.time', 'The payment event’s `timestamp` is the time of the sale.'),
    rule('sales.hold-own-address', 'Held: the buyer’s address is the partner’s contact.'),
    rule('sales.hold-disposable', 'Held: a disposable mail domain, by a list that the operator can change.'),
    rule('sales.hold-frequency', 'Held: more than 5 sales in an hour from one address.'),
  ],
};
