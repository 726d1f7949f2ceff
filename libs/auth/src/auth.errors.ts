/**
 * The credential is missing, or it is not valid for this app. `message` contains the reason. Internal routes return the
 * message to the caller; the answer to a public request must reveal no more than "unauthorized".
 */
export class InvalidTokenError extends Error {
  readonly code = 'unauthorized';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidTokenError';
  }
}

/** The service token is valid, but the table of apps (apps/apps.js) does not list the caller for the route. */
export class CallerNotAllowedError extends Error {
  readonly code = 'forbidden';

  constructor() {
    super('This caller may not use this route');
    this.name = 'CallerNotAllowedError';
  }
}

/** The caller has no valid credential. The message is the same for every reason. */
export class UnauthorizedError extends Error {
  readonly code = 'unauthorized';

  constructor() {
    super('unauthorized');
    this.name = 'UnauthorizedError';
  }
}

/**
 * The token cannot be verified now. Either the issuer's keys cannot be read, or the token's key is unknown and too many
 * such tokens already wait for the keys. Answer 503, never 401: after a 401, a client would discard a valid token.
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

/** The reasons for which `verifyWebhook` refuses a webhook. */
export const WEBHOOK_REFUSALS = [
  'missing_header',
  'malformed_header',
  'timestamp_too_old',
  'timestamp_too_new',
  'signature_mismatch',
] as const;
export type WebhookRefusal = (typeof WEBHOOK_REFUSALS)[number];

/**
 * The headers of a webhook are missing or malformed, its timestamp is too old or too new, or none of the secrets signed
 * it.
 */
export class WebhookVerificationError extends Error {
  readonly code = 'unauthorized';

  constructor(readonly reason: WebhookRefusal) {
    super(`The webhook was refused: ${reason}`);
    this.name = 'WebhookVerificationError';
  }
}

/** A configured secret or key is unusable: a fault of the configuration, never of a request. The message reveals no part of the secret. */
export class InvalidSecretError extends Error {
  readonly code = 'invalid_secret';

  constructor(message: string) {
    super(message);
    this.name = 'InvalidSecretError';
  }
}
