import { pendingRule, rule, type Section } from './rule';

/** The error format and each row of the table of errors. */
export const ERRORS: Section = {
  title: 'Errors',
  rules: [
    rule(
      'errors.problem-json',
      'Errors are `application/problem+json` with `type, title, status, detail, instance`, `code` and `requestId`.',
      'service-defaults/test/http.int.spec.ts › * › answers a mapped error as problem+json with its code, headers and the request id',
      'create-checkout-url.int.spec.ts › * › refuses ?%s',
    ),
    rule(
      'errors.fields',
      'A validation error, and no other, has `errors: [{field, message}]`, with every wrong field.',
      'service-defaults/test/http.int.spec.ts › * › names every wrong field, nested ones with their path',
      'postback-dispatcher/test/configuration.int.spec.ts › * › names all wrong fields at once',
    ),
    rule(
      'errors.malformed-request',
      '400 `malformed_request`: broken JSON, wrong content.',
      'revoke-sale.int.spec.ts › * › answers 400 malformed_request to %s',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › POST › answers 400 to the body %s without asking',
      'service-defaults/test/http.int.spec.ts › * › answers %s 400 malformed_request',
    ),
    rule(
      'errors.invalid-cursor',
      '400 `invalid_cursor`: a cursor that is not ours, or of another list or filter.',
      'manage-partners.int.spec.ts › * › lists › refuse a cursor of another list, and one that is not ours',
      'review-sales.int.spec.ts › * › refuse the cursor of another status',
      'page.rules.spec.ts › cursors › refuses %p',
    ),
    rule(
      'errors.unauthorized',
      '401 `unauthorized` with `WWW-Authenticate: Bearer`: the token is missing, malformed, unknown, expired or revoked.',
      'partner-tokens.int.spec.ts › * › answers 401 to %s',
      'partner-tokens.int.spec.ts › * › answers 401 after the token has expired',
      'manage-tokens.int.spec.ts › * › tokens › end at once when revoked, and a repeat changes nothing',
    ),
    rule(
      'errors.permission-denied',
      '403 `permission_denied`: the scope is absent.',
      'partner-tokens.int.spec.ts › * › %s %s needs the scope %s',
    ),
    rule(
      'errors.integration-kind-mismatch',
      '403 `integration_kind_mismatch`: a voucher partner on checkout or postback endpoints.',
      'partner-tokens.int.spec.ts › * › %s %s is not for voucher partners, whatever their scopes',
    ),
    pendingRule(
      'the voucher endpoints are being built',
      'errors.integration-kind-mismatch-reverse',
      '403 `integration_kind_mismatch`: a promotion partner on voucher endpoints.',
    ),
    rule(
      'errors.not-found',
      '404 `not_found`: an unknown path or id.',
      'service-defaults/test/http.int.spec.ts › * › tells a wrong method (405 with Allow) from an unknown path (404)',
      'manage-partners.int.spec.ts › * › partners › that are unknown are 404, and leave no audit row',
    ),
    rule(
      'errors.subscription-not-found',
      '404 `subscription_not_found`: unknown and another partner’s look the same.',
      'revoke-sale.int.spec.ts › * › answers 404 to unknown, to another partner and to the other environment',
    ),
    pendingRule(
      'the voucher endpoints are being built',
      'errors.voucher-group-not-found',
      '404 `voucher_group_not_found`: unknown and another partner’s look the same.',
    ),
    rule(
      'errors.postback-not-configured',
      '404 `postback_not_configured`: there is no configuration.',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › GET › answers 404 postback_not_configured when there is none',
      'postback-dispatcher/test/configuration.int.spec.ts › * › is not found before it is created',
    ),
    rule(
      'errors.method-not-allowed',
      '405 `method_not_allowed` with `Allow`.',
      'create-checkout-url.int.spec.ts › * › answers 405 with Allow to another method',
      'service-defaults/test/http.int.spec.ts › * › tells a wrong method (405 with Allow) from an unknown path (404)',
    ),
    rule(
      'errors.payload-too-large',
      '413 `payload_too_large`: more than 64 KiB.',
      'revoke-sale.int.spec.ts › * › answers 415 to another content type, and 413 to more than 64 KiB',
      'service-defaults/test/http.int.spec.ts › * › answers a body over the limit 413, and one of another kind 415',
    ),
    rule(
      'errors.unsupported-media-type',
      '415 `unsupported_media_type`.',
      'revoke-sale.int.spec.ts › * › answers 415 to another content type, and 413 to more than 64 KiB',
    ),
    pendingRule(
      'the voucher endpoints are being built',
      'errors.creation-in-progress',
      '409 `creation_in_progress` with `Retry-After: 1`.',
    ),
    pendingRule('the voucher endpoints are being built', 'errors.insufficient-stock', '409 `insufficient_stock`.'),
    rule(
      'errors.promotion-not-active',
      '409 `promotion_not_active`: the partner has no active discount.',
      'create-checkout-url.int.spec.ts › * › answers 409 promotion_not_active without an active promotion',
      'create-checkout-url.int.spec.ts › * › answers 409 as soon as the promotion is ended',
    ),
    rule(
      'errors.sale-not-revocable',
      '409 `sale_not_revocable`.',
      'revoke-sale.int.spec.ts › * › answers 409 sale_not_revocable to a sale that is %s',
    ),
    rule(
      'errors.revoke-window-closed',
      '409 `revoke_window_closed`.',
      'revoke-sale.int.spec.ts › * › answers 409 revoke_window_closed after 30 days, but repeats a revocation',
    ),
    pendingRule(
      'the voucher endpoints are being built',
      'errors.idempotency-in-progress',
      '409 `idempotency_in_progress`.',
    ),
    rule(
      'errors.validation-failed',
      '422 `validation_failed`.',
      'create-checkout-url.int.spec.ts › * › refuses ?%s',
      'revoke-sale.int.spec.ts › * › answers 422 to %s',
      'postback-dispatcher/test/configuration.int.spec.ts › * › refuses %s: %s',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › POST › relays the fields that the dispatcher refuses',
    ),
    pendingRule(
      'the voucher endpoints are being built',
      'errors.idempotency-key-reused',
      '422 `idempotency_key_reused`.',
    ),
    rule(
      'errors.rate-limited',
      '429 `rate_limited` with `Retry-After` in seconds, `RateLimit` and `RateLimit-Policy`.',
      'rate-limits.int.spec.ts › rate limits › a refused request answers 429 rate_limited, with when to come back',
      'rate-limits.int.spec.ts › after Retry-After › a request is served, each time',
      'rate-limit.rules.spec.ts › rateLimitHeaders › are structured fields',
    ),
    rule(
      'errors.internal',
      '500 `internal`: no detail leaks.',
      'service-defaults/test/http.int.spec.ts › * › answers an unexpected error 500 without any detail of it',
    ),
    rule(
      'errors.unavailable',
      '503 `service_unavailable` with `Retry-After` while a database or another service is away; nothing was changed.',
      'partner-gateway/test/storage-outage.int.spec.ts › * › a good token is never refused: requests get 503, and are served again when it is back',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › without a dispatcher that answers › answers 503 when nobody listens, and goes on with all else',
    ),
    rule(
      'errors.order',
      'The order of checks is token, account, kind, scope, input, state.',
      'partner-tokens.int.spec.ts › * › checks who calls before what is sent',
    ),
    rule(
      'errors.request-id',
      '`X-Request-Id` is echoed, or made; it is on every answer and in every error.',
      'partner-tokens.int.spec.ts › * › echoes a request id, and makes one in place of an unusable one',
      'edge.int.spec.ts › the edge › echoes a request id, makes one for a bad one, and passes it on',
    ),
  ],
};
