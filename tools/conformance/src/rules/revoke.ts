import { rule, type Section } from './rule';

const revoke = (title: string): string => `revoke-sale.int.spec.ts › PUT /partner/subscription/revoke › ${title}`;

/** Revoking a sale. */
export const REVOKE: Section = {
  title: 'Revoking a sale',
  rules: [
    rule(
      'revoke.body',
      'The body is `{"subscriptionId","reason"?,"note"?}`.',
      revoke('revokes a qualified sale and publishes sale.revoked'),
      revoke('answers 422 to %s'),
    ),
    rule(
      'revoke.query',
      '`?subscriptionId=` is accepted too.',
      revoke('takes the subscription from the query, with or without a body'),
    ),
    rule(
      'revoke.conflict',
      'A conflict between body and query is 422.',
      revoke('refuses a subscription that differs between body and query'),
    ),
    rule(
      'revoke.reasons',
      'Reasons: `customer_request, returned, fraud, order_error, duplicate, terms_violation, other`.',
      'partner-interface.int.spec.ts › the partner interface › PUT /partner/subscription/revoke › takes the reason %s',
      revoke('answers 422 to %s'),
    ),
    rule(
      'revoke.default-reason',
      'The reason is `other` when none is given.',
      revoke('takes the reason other when it is %p'),
    ),
    rule(
      'revoke.answer',
      '200 `{"subscriptionId","status":"revoked","revokedAt","reason"}`.',
      revoke('revokes a qualified sale and publishes sale.revoked'),
    ),
    rule(
      'revoke.repeat',
      'A repeat gives 200 with the first `revokedAt` and `reason`.',
      revoke('answers a repeat with the first time and reason, and publishes nothing more'),
      revoke('publishes one event when five revokes come at once'),
    ),
    rule(
      'revoke.not-revocable',
      'A pending, held or final sale is 409 `sale_not_revocable`.',
      revoke('answers 409 sale_not_revocable to a sale that is %s'),
    ),
    rule(
      'revoke.window',
      'The window is 30 days from the sale.',
      revoke('answers 409 revoke_window_closed after 30 days, but repeats a revocation'),
      'sale.rules.spec.ts › isRevokeWindowClosed › is open up to the last moment of the window',
    ),
    rule(
      'revoke.window-of-partner',
      'Each partner has its own window, 0–90 days.',
      revoke("goes by the partner's own window"),
      'manage-partners.int.spec.ts › the admin API › partners › refuse %j',
      'sale.rules.spec.ts › isRevokeWindowClosed › is closed at once with a window of 0 days',
    ),
    rule('revoke.event', 'It emits `sale.revoked`.', revoke('revokes a qualified sale and publishes sale.revoked')),
  ],
};
