import { rule, type Section } from './rule';

/** The error format and each row of the table of errors. */
export const ERRORS: Section = {
  title: 'Errors',
  rules: [
    rule(
      'errors.problem-json',
      'Errors are `application/problem+json` with `type, title, status, detail, instance`, `code` and `requestId`.',
    ),
    rule(
      'errors.fields',
      'A validation error, and no other, has `errors: [{field, message}]`, with every invalid field.',
    ),
    rule('errors.malformed-request', '400 `malformed_request`: broken JSON, wrong content.'),
    rule('errors.invalid-cursor', '400 `invalid_cursor`: a forged cursor, or one of another list or filter.'),
    rule(
      'errors.unauthorized',
      '401 `unauthorized` with `WWW-Authenticate: Bearer`: the token is missing, malformed, unknown, expired or revoked.',
    ),
    rule('errors.permission-denied', '403 `permission_denied`: the scope is absent.'),
    rule(
      'errors.integration-kind-mismatch',
      '403 `integration_kind_mismatch`: a voucher partner on checkout or postback endpoints.',
    ),
    rule(
      'errors.integration-kind-mismatch-reverse',
      '403 `integration_kind_mismatch`: a promotion partner on voucher endpoints.',
    ),
    rule('errors.not-found', '404 `not_found`: an unknown path or id.'),
    rule(
      'errors.subscription-not-found',
      '404 `subscription_not_found`: the same for an unknown subscription and another partner’s.',
    ),
    rule(
      'errors.voucher-group-not-found',
      '404 `voucher_group_not_found`: the same for an unknown group and another partner’s.',
    ),
    rule('errors.postback-not-configured', '404 `postback_not_configured`: there is no configuration.'),
    rule('errors.method-not-allowed', '405 `method_not_allowed` with `Allow`.'),
    rule('errors.payload-too-large', '413 `payload_too_large`: more than 64 KiB.'),
    rule('errors.unsupported-media-type', '415 `unsupported_media_type`.'),
    rule('errors.creation-in-progress', '409 `creation_in_progress` with `Retry-After: 1`.'),
    rule('errors.insufficient-stock', '409 `insufficient_stock`.'),
    rule('errors.promotion-not-active', '409 `promotion_not_active`: the partner has no active discount.'),
    rule('errors.sale-not-revocable', '409 `sale_not_revocable`.'),
    rule('errors.revoke-window-closed', '409 `revoke_window_closed`.'),
    rule('errors.idempotency-in-progress', '409 `idempotency_in_progress`.'),
    rule('errors.validation-failed', '422 `validation_failed`.'),
    rule('errors.idempotency-key-reused', '422 `idempotency_key_reused`.'),
    rule(
      'errors.rate-limited',
      '429 `rate_limited` with `Retry-After` in seconds, `RateLimit` and `RateLimit-Policy`.',
    ),
    rule('errors.internal', '500 `internal`: no detail leaks.'),
    rule(
      'errors.unavailable',
      '503 `service_unavailable` with `Retry-After` while a database or another service is down.',
    ),
    rule('errors.order', 'The order of checks is token, account, kind, scope, input, state.'),
    rule('errors.request-id', '`X-Request-Id` is echoed, or generated; it is on every answer and in every error.'),
  ],
};
