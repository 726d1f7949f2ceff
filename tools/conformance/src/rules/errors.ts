import { rule, type Section } from './rule';

/** The format of errors, and each error. */
export const ERRORS: Section = {
  title: 'Errors',
  rules: [
    rule(
      'errors.problem-json',
      'Errors are `application/problem+json` with `type, title, status, detail, instance`, `code` and `requestId`.',
    ),
    rule('errors.fields', 'Only a validation error has `errors: [{field, message}]`, which lists every invalid field.'),
    rule(
      'errors.malformed-request',
      'A body that is not valid JSON, or not a JSON object, gets 400 `malformed_request`.',
    ),
    rule(
      'errors.invalid-cursor',
      'A forged cursor gets 400 `invalid_cursor`, and so does the cursor of another list or filter.',
    ),
    rule(
      'errors.unauthorized',
      'A missing, malformed, unknown, expired or revoked token gets 401 `unauthorized` with `WWW-Authenticate: Bearer`.',
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
    rule(
      'errors.not-found',
      'An unknown path gets 404 `not_found`. So does an unknown id for which the API has no more specific error.',
    ),
    rule(
      'errors.subscription-not-found',
      'An unknown subscription and a subscription of another partner get the same answer: 404 `subscription_not_found`.',
    ),
    rule(
      'errors.voucher-group-not-found',
      'An unknown voucher group and a voucher group of another partner get the same answer: 404 `voucher_group_not_found`.',
    ),
    rule(
      'errors.postback-not-configured',
      'A request that needs a postback configuration gets 404 `postback_not_configured` if there is none.',
    ),
    rule('errors.method-not-allowed', 'An unsupported method gets 405 `method_not_allowed` with `Allow`.'),
    rule('errors.payload-too-large', 'A body of more than 64 KiB gets 413 `payload_too_large`.'),
    rule(
      'errors.unsupported-media-type',
      'A body with a content type other than JSON gets 415 `unsupported_media_type`.',
    ),
    rule(
      'errors.creation-in-progress',
      'While a request of a token creates coupons, a second request of this token to create coupons gets 409 `creation_in_progress` with `Retry-After: 1`.',
    ),
    rule(
      'errors.insufficient-stock',
      'A request to create more coupons than the group has left gets 409 `insufficient_stock`.',
    ),
    rule(
      'errors.promotion-not-active',
      'A request for a checkout URL gets 409 `promotion_not_active` if the partner has no active promotion.',
    ),
    rule(
      'errors.sale-not-revocable',
      'A request to revoke a sale whose state does not allow this gets 409 `sale_not_revocable`.',
    ),
    rule(
      'errors.revoke-window-closed',
      'A request to revoke a sale after the end of the revoke window gets 409 `revoke_window_closed`.',
    ),
    rule(
      'errors.idempotency-in-progress',
      'A request with the idempotency key of a request that is still running gets 409 `idempotency_in_progress`.',
    ),
    rule('errors.validation-failed', 'Invalid input gets 422 `validation_failed`.'),
    rule(
      'errors.idempotency-key-reused',
      'A different request with an idempotency key that was already used gets 422 `idempotency_key_reused`.',
    ),
    rule(
      'errors.rate-limited',
      'A request above a limit gets 429 `rate_limited` with `Retry-After` in seconds, `RateLimit` and `RateLimit-Policy`.',
    ),
    rule('errors.internal', 'An unexpected failure is answered with 500 `internal`, without details.'),
    rule(
      'errors.unavailable',
      'A request that needs a database or a service that is down gets 503 `service_unavailable` with `Retry-After`.',
    ),
    rule('errors.order', 'The order of checks is token, rate limit, account, integration kind, scope, input, state.'),
    rule(
      'errors.request-id',
      'A valid `X-Request-Id` of the request is echoed; otherwise an id is generated. The id is on every answer and in every error.',
    ),
  ],
};
