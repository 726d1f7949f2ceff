/**
 * The credential is missing, malformed, forged, expired, or not meant for us. `message` says which, for the log; callers
 * should answer no more than "unauthorized".
 */
export class InvalidTokenError extends Error {
  readonly code = 'unauthorized';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidTokenError';
  }
}

/** The token is good, and its caller is not one of those that the route names. */
export class CallerNotAllowedError extends Error {
  readonly code = 'forbidden';

  constructor() {
    super('This caller may not use this route');
    this.name = 'CallerNotAllowedError';
  }
}

/** The caller has no valid credential: the only answer that callers get, whatever the reason. */
export class UnauthorizedError extends Error {
  readonly code = 'unauthorized';

  constructor() {
    super('unauthorized');
    this.name = 'UnauthorizedError';
  }
}

/**
 * The keys of an issuer cannot be read now, so the token could not be checked: answer 503 and never 401, which would make
 * a client discard a good token.
 */
export class JwksUnavailableError extends Error {
  readonly code = 'service_unavailable';

  constructor(
    readonly issuer: string,
    options?: ErrorOptions,
  ) {
    super(`The keys of the issuer ${issuer} cannot be read`, options);
    this.name = 'JwksUnavailableError';
  }
}

/** Why a webhook's signature was refused. */
export const WEBHOOK_REFUSALS = [
  'missing_header',
  'malformed_header',
  'timestamp_too_old',
  'timestamp_too_new',
  'signature_mismatch',
] as const;
export type WebhookRefusal = (typeof WEBHOOK_REFUSALS)[number];

/** The request was not signed with one of the secrets, or it is an old one that was sent again. */
export class WebhookVerificationError extends Error {
  readonly code = 'unauthorized';

  constructor(readonly reason: WebhookRefusal) {
    super(`The webhook was refused: ${reason}`);
    this.name = 'WebhookVerificationError';
  }
}

/** A configured secret cannot be used: a fault of the configuration, never of a request. The secret is not in the text. */
export class InvalidSecretError extends Error {
  readonly code = 'invalid_secret';

  constructor(message: string) {
    super(message);
    this.name = 'InvalidSecretError';
  }
}
