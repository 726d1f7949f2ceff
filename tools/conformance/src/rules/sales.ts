import { rule, type Section } from './rule';

/** When a purchase is a partner's sale, and the states of a sale. */
export const SALES: Section = {
  title: 'Sales',
  rules: [
    rule(
      'sales.states',
      'The states are `pending → qualified → revoked | refunded | charged_back`, `pending → held → qualified | failed`, and `pending → failed`. A sale whose payment failed qualifies by a later payment. A refund or chargeback closes a sale in any state except `revoked`.',
    ),
    rule('sales.captured', 'Only a captured payment qualifies.'),
    rule('sales.total', 'The total must be more than 0.'),
    rule('sales.first-payment', 'Only the first payment of a subscription qualifies.'),
    rule('sales.partner-active', 'The partner must be active.'),
    rule('sales.not-held', 'A held sale does not qualify until it is released.'),
    rule('sales.by-token', 'A valid signed checkout token identifies the discount.'),
    rule('sales.by-code', 'A promotion code of the partner identifies the discount too.'),
    rule('sales.one-per-oid', 'An `oid` has at most one qualified sale.'),
    rule(
      'sales.shared-id',
      '`sharedId` is the checkout token’s reference if it has one, otherwise the sale’s `data4`, otherwise `""`.',
    ),
    rule('sales.token-forged', 'A sale with a forged checkout token is not attributed by that token.'),
    rule(
      'sales.token-expired',
      'A sale is not attributed by a checkout token that had expired at the time of the purchase.',
    ),
    rule('sales.token-of-another', 'A sale is not attributed by a checkout token of another partner’s discount.'),
    rule('sales.token-wins', 'A valid token wins over a promotion code.'),
    rule(
      'sales.refund-first',
      'If the event of a refund or chargeback arrives before the event of its purchase, the sale gets no postback and cannot be revoked.',
    ),
    rule('sales.closed', 'A qualified sale that is refunded or charged back publishes `sale.closed`, once per state.'),
    rule(
      'sales.closed-stops-postback',
      'A refund or chargeback stops a postback that was not sent yet, whichever event arrives first.',
    ),
    rule(
      'sales.captured-later',
      '`captured` after `failed` or `pending` qualifies the sale; `failed` or `pending` after `captured` changes nothing.',
    ),
    rule('sales.time', 'The payment event’s `timestamp` is the time of the sale.'),
    rule('sales.hold-own-address', 'A sale is held when the buyer’s address is the partner’s contact.'),
    rule(
      'sales.hold-disposable',
      'A sale is held when the buyer’s mail domain is in the list of disposable domains, which the operator can change.',
    ),
    rule('sales.hold-frequency', 'A sale is held when the same address already has 5 sales within an hour.'),
  ],
};
