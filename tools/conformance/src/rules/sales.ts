import { rule, type Section } from './rule';

/** When a purchase is a partner's sale, and the states of a sale. */
export const SALES: Section = {
  title: 'Sales',
  rules: [
    rule(
      'sales.states',
      'The states are `pending → qualified → revoked | refunded | charged_back`, `pending → held → qualified | failed`, and `pending → failed`. A sale whose payment failed qualifies when a later event reports that its first payment was captured. A refund or chargeback closes a sale in any state except `revoked`.',
    ),
    rule('sales.captured', 'A sale qualifies only if its payment was captured.'),
    rule('sales.total', 'A sale qualifies only if its total is more than 0.'),
    rule('sales.first-payment', 'Only the first payment of a subscription can make a sale qualify.'),
    rule('sales.partner-active', 'A sale qualifies only if the partner is active.'),
    rule('sales.not-held', 'A held sale does not qualify until it is released.'),
    rule('sales.by-token', 'A valid signed checkout token attributes a sale to a partner.'),
    rule(
      'sales.by-code',
      'Without a valid checkout token, a promotion code attributes a sale to the partner whose promotion has this code.',
    ),
    rule('sales.one-per-oid', 'An `oid` has at most one qualified sale.'),
    rule(
      'sales.shared-id',
      '`sharedId` is the reference in the checkout token; without one, the sale’s `data4`; with neither, `""`.',
    ),
    rule('sales.token-forged', 'A sale with a forged checkout token is not attributed by that token.'),
    rule(
      'sales.token-expired',
      'A sale is not attributed by a checkout token that had expired at the time of the purchase.',
    ),
    rule(
      'sales.token-of-another',
      'A sale is not attributed by a checkout token that names one partner and the discount of another partner.',
    ),
    rule('sales.token-wins', 'A valid checkout token takes precedence over a promotion code.'),
    rule(
      'sales.refund-first',
      'If the event of a refund or chargeback arrives before the event of its purchase, the sale gets no postback and cannot be revoked.',
    ),
    rule(
      'sales.closed',
      'A qualified sale that is refunded or charged back publishes `sale.closed`, once for the refund and once for the chargeback.',
    ),
    rule(
      'sales.closed-stops-postback',
      'A refund or chargeback stops a postback that was not sent yet, whether `sale.completed` or `sale.closed` arrives first.',
    ),
    rule(
      'sales.captured-later',
      'A payment status `captured` after `failed` or `pending` qualifies the sale; `failed` or `pending` after `captured` changes nothing.',
    ),
    rule('sales.time', 'The payment event’s `timestamp` is the time of the sale.'),
    rule('sales.hold-own-address', 'A sale is held when the buyer’s address is the contact address of the partner.'),
    rule(
      'sales.hold-disposable',
      'A sale is held when the buyer’s mail domain is in the list of disposable domains, which the operator can change.',
    ),
    rule(
      'sales.hold-frequency',
      'A sale is held when it is one of more than 5 sales to the same buyer’s address within one hour.',
    ),
  ],
};
