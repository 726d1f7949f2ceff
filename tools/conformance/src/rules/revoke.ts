import { rule, type Section } from './rule';

/** Revoking a sale. */
export const REVOKE: Section = {
  title: 'Revoking a sale',
  rules: [
    rule('revoke.body', 'The body is `{"subscriptionId","reason"?,"note"?}`.'),
    rule('revoke.query', '`?subscriptionId=` is accepted too.'),
    rule('revoke.conflict', 'A conflict between body and query is 422.'),
    rule(
      'revoke.reasons',
      'Reasons: `customer_request, returned, fraud, order_error, duplicate, terms_violation, other`.',
    ),
    rule('revoke.default-reason', 'The default reason is `other`.'),
    rule('revoke.answer', '200 `{"subscriptionId","status":"revoked","revokedAt","reason"}`.'),
    rule('revoke.repeat', 'A repeat answers 200 with the first `revokedAt` and `reason`.'),
    rule('revoke.not-revocable', 'A pending, held or final sale is 409 `sale_not_revocable`.'),
    rule('revoke.window', 'The window is 30 days from the sale.'),
    rule('revoke.window-of-partner', 'Each partner has its own window, 0–90 days.'),
    rule('revoke.event', 'It publishes `sale.revoked`.'),
  ],
};
