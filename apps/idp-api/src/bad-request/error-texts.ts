/** What the developer of a client app needs to know about an error. */
export interface ErrorText {
  /** The name of the error's example. It is the name of the variant if the body has a variant. */
  readonly name: string;
  /** Explains, in Markdown, when this error is returned and what the client should do. */
  readonly description: string;
}

const text = (name: string, description: string): ErrorText => ({ name, description });

/** The texts of the errors, by the code of the error in this app. */
export const ERROR_TEXTS: Readonly<Record<string, ErrorText>> = {
  validation_failed: text('InputValidationFailure', 'Fields are missing or wrong: exactly those in `invalid_fields`.'),
  unreadable_body: text('InputValidationFailure', 'Fields are missing or wrong: exactly those in `invalid_fields`.'),
  malformed_request: text('MalformedRequest', 'The request is not valid HTTP, or not valid for this path.'),
  method_not_allowed: text('MethodNotAllowed', 'The path has other methods: those in `Allow`.'),
  request_timeout: text('RequestTimeout', 'The request took too long to arrive.'),
  uri_too_long: text('UriTooLong', 'The path or the query is too long.'),
  headers_too_large: text('HeadersTooLarge', 'The headers are too large.'),
  user_already_exists: text('UserAlreadyExists', 'The user has a profile already.'),
  user_not_found: text('UserNotFound', 'The user has no profile: create one.'),
  two_factor_auth_required: text(
    'TwoFactorAuthRequired',
    'The token has no second factor, or one that is too old. Let the user confirm one, and repeat the request with the new token; ' +
      '`WWW-Authenticate` says so by RFC 9470.',
  ),
  entitlements_required: text('EntitlementsRequired', 'The subscriptions of the user do not include this.'),
  attempts_too_early: text(
    'AttemptsTooEarly',
    'The identity was not confirmed, now or a short while ago. Ask again after `retry_after` seconds, with data that the user has checked.',
  ),
  maximum_attempts_reached: text(
    'MaximumAttemptsReached',
    'The identity was not confirmed within the allowed number of attempts. Support can help the user; do not ask again.',
  ),
  unauthorized: text('Unauthorized', 'The token is missing, expired or not valid: get a new one.'),
  rate_limited: text('RateLimited', 'The user made too many requests: ask again after `Retry-After` seconds.'),
  alert_not_found: text('AlertNotFound', 'The user has no such alert.'),
  payload_too_large: text('PayloadTooLarge', 'The body is larger than 64 KiB.'),
  unsupported_media_type: text('UnsupportedMediaType', 'The body is not JSON by its `Content-Type`.'),
  internal: text('InternalError', 'A fault on our side. Send us the `X-Request-Id` of the answer.'),
  vendor_failed: text('ProviderUnavailable', 'The identity provider failed. Nothing was changed: ask again later.'),
  vendor_timeout: text(
    'ProviderTimedOut',
    'The identity provider did not answer. Nothing was changed: ask again later.',
  ),
  user_busy: text('UserBusy', 'Other requests of the same user took too long. Nothing was changed: ask again.'),
  service_unavailable: text('ServiceUnavailable', 'Not possible at the moment: ask again after `Retry-After` seconds.'),
};
