import { rule, type Section } from './rule';

/** Revoking a sale. */
export const REVOKE: Section = {
  title: 'Revoking a sale',
  rules: [
    rule('revoke.body', 'The body is `{"subscriptionId","reason"?,"note"?}`.'),
    rule('revoke.query', 'The query `?subscriptionId=` is accepted too, with or without a body.'),
    rule('revoke.conflict', 'A `subscriptionId` in the query that differs from the one in the body gets 422.'),
    rule(
      'revoke.reasons',
      'The reasons are `customer_request, returned, fraud, order_error, duplicate, terms_violation, other`.',
    ),
    rule('revoke.default-reason', 'The default reason is `other`.'),
    rule('revoke.answer', 'A revocation answers 200 `{"subscriptionId","status":"revoked","revokedAt","reason"}`.'),
    rule('revoke.repeat', 'A repeated revocation answers 200 with the first `revokedAt` and `reason`.'),
    rule(
      'revoke.not-revocable',
      'A request to revoke a pending, held, failed, refunded or charged-back sale gets 409 `sale_not_revocable`.',
    ),
    rule('revoke.window', 'The revoke window is 30 days from the sale.'),
    rule('revoke.window-of-partner', 'The manager can give a partner its own revoke window of 0–90 days.'),
    rule('revoke.event', 'A revocation publishes `sale.revoked`.'),
  ],
};
