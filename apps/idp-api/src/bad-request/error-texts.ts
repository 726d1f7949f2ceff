/** What the developer of a client app needs to know about an error. */
export interface ErrorText {
  /** The name of the error's example: the name of the variant if the body has one. */
  readonly name: string;
  /** Explains, in Markdown, when this error is returned and what the client should do. */
  readonly description: string;
}

const text = (name: string, description: string): ErrorText => ({ name, description });

/** The texts of the errors, by the code of the error in this app. */
export const ERROR_TEXTS: Readonly<Record<string, ErrorText>> = {
  validation_failed: text(
    'InputValidationFailure',
    'Fields are missing or invalid. `invalid_fields` lists exactly these fields.',
  ),
  unreadable_body: text(
    'InputValidationFailure',
    'Fields are missing or invalid. `invalid_fields` lists exactly these fields.',
  ),
  malformed_request: text('MalformedRequest', 'The request is not valid HTTP, or not valid for this path.'),
  method_not_allowed: text(
    'MethodNotAllowed',
    'The path does not support this method. `Allow` lists the supported ones.',
  ),
  request_timeout: text('RequestTimeout', 'The request took too long to arrive.'),
  uri_too_long: text('UriTooLong', 'The path or the query is too long.'),
  headers_too_large: text('HeadersTooLarge', 'The headers are too large.'),
  user_already_exists: text('UserAlreadyExists', 'The user already has a profile.'),
  user_not_found: text('UserNotFound', 'The user has no profile. Create one first.'),
  two_factor_auth_required: text(
    'TwoFactorAuthRequired',
    'The token has no second factor, or its second factor is too old. Ask the user for a second factor, and repeat the request with the new token. `WWW-Authenticate` contains the challenge of RFC 9470.',
  ),
  entitlements_required: text('EntitlementsRequired', 'The user’s subscriptions do not include this feature.'),
  attempts_too_early: text(
    'AttemptsTooEarly',
    'The identity was not confirmed, by this request or by a recent one. Try again after `retry_after` seconds, with data that the user has checked.',
  ),
  maximum_attempts_reached: text(
    'MaximumAttemptsReached',
    'The identity was not confirmed within the allowed number of attempts. Do not repeat the request: the user needs support.',
  ),
  unauthorized: text('Unauthorized', 'The token is missing, expired or invalid. Get a new one.'),
  rate_limited: text('RateLimited', 'The user made too many requests. Repeat the request after `Retry-After` seconds.'),
  alert_not_found: text('AlertNotFound', 'The user has no such alert.'),
  payload_too_large: text('PayloadTooLarge', 'The body is larger than 64 KiB.'),
  unsupported_media_type: text('UnsupportedMediaType', 'The `Content-Type` of the body is not JSON.'),
  internal: text('InternalError', 'Something failed on our side. Contact us with the `X-Request-Id` of the answer.'),
  vendor_failed: text(
    'ProviderUnavailable',
    'The identity provider failed. Try again later: the request can safely be repeated.',
  ),
  vendor_timeout: text(
    'ProviderTimedOut',
    'The identity provider did not answer. Try again later: the request can safely be repeated.',
  ),
  user_busy: text(
    'UserBusy',
    'Other requests for the same user took too long. Nothing was changed. Repeat the request.',
  ),
  service_unavailable: text(
    'ServiceUnavailable',
    'Temporarily unavailable. Repeat the request after `Retry-After` seconds.',
  ),
};
