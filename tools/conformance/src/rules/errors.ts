import { rule, type Section } from './rule';

/** The format of errors, and each error. */
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
    rule('errors.malformed-request', 'Broken JSON, and JSON that is not an object, are 400 `malformed_request`.'),
    rule('errors.invalid-cursor', 'A forged cursor, and a cursor of another list or filter, are 400 `invalid_cursor`.'),
    rule(
      'errors.unauthorized',
      'A missing, malformed, unknown, expired or revoked token is 401 `unauthorized` with `WWW-Authenticate: Bearer`.',
    ),
    rule('errors.permission-denied', 'A token without the required scope gets 403 `permission_denied`.'),
    rule(
      'errors.integration-kind-mismatch',
      'A voucher partner gets 403 `integration_kind_mismatch` on checkout and postback endpoints.',
    ),
    rule(
      'errors.integration-kind-mismatch-reverse',
      'A promotion partner gets 403 `integration_kind_mismatch` on voucher endpoints.',
    ),
    rule('errors.not-found', 'An unknown path, and an unknown id that has no error of its own, are 404 `not_found`.'),
    rule(
      'errors.subscription-not-found',
      'An unknown subscription and one of another partner get the same answer: 404 `subscription_not_found`.',
    ),
    rule(
      'errors.voucher-group-not-found',
      'An unknown voucher group and one of another partner get the same answer: 404 `voucher_group_not_found`.',
    ),
    rule(
      'errors.postback-not-configured',
      'Without a postback configuration the answer is 404 `postback_not_configured`.',
    ),
    rule('errors.method-not-allowed', 'An unsupported method is 405 `method_not_allowed` with `Allow`.'),
    rule('errors.payload-too-large', 'A body of more than 64 KiB is 413 `payload_too_large`.'),
    rule(
      'errors.unsupported-media-type',
      'A body with a content type other than JSON is 415 `unsupported_media_type`.',
    ),
    rule(
      'errors.creation-in-progress',
      'While the token already creates coupons, a second creation is 409 `creation_in_progress` with `Retry-After: 1`.',
    ),
    rule('errors.insufficient-stock', 'A creation of more coupons than the group’s stock is 409 `insufficient_stock`.'),
    rule(
      'errors.promotion-not-active',
      'Without an active promotion, a checkout URL is refused with 409 `promotion_not_active`.',
    ),
    rule(
      'errors.sale-not-revocable',
      'A revocation of a sale in a state that cannot be revoked is 409 `sale_not_revocable`.',
    ),
    rule('errors.revoke-window-closed', 'A revocation after the end of the window is 409 `revoke_window_closed`.'),
    rule(
      'errors.idempotency-in-progress',
      'A request whose idempotency key is in use by a request that has not ended is 409 `idempotency_in_progress`.',
    ),
    rule('errors.validation-failed', 'Invalid input is 422 `validation_failed`.'),
    rule(
      'errors.idempotency-key-reused',
      'An idempotency key with a different request is 422 `idempotency_key_reused`.',
    ),
    rule(
      'errors.rate-limited',
      'A request above a limit is 429 `rate_limited` with `Retry-After` in seconds, `RateLimit` and `RateLimit-Policy`.',
    ),
    rule('errors.internal', 'An unexpected failure is 500 `internal`, without details.'),
    rule(
      'errors.unavailable',
      'A request that needs a database or a service that is down gets 503 `service_unavailable` with `Retry-After`.',
    ),
    rule('errors.order', 'The order of checks is token, rate limit, account, kind, scope, input, state.'),
    rule(
      'errors.request-id',
      'A valid `X-Request-Id` of the request is echoed; otherwise an id is generated. The id is on every answer and in every error.',
    ),
  ],
};
