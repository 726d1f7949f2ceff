/** The reason why a caller was refused. It is written only to the log. */
export type CallerRefusal =
  'address_not_allowed' | 'no_credentials' | 'token_invalid' | 'scope_missing' | `signature_${string}`;

/** The caller is not a trusted integration. The answer does not reveal the reason. */
export class UnauthorizedCallerError extends Error {
  readonly code = 'unauthorized';

  constructor(
    readonly reason: CallerRefusal,
    options?: ErrorOptions,
  ) {
    super('unauthorized', options);
  }
}

/** The headers declare a body that is not JSON, or that is compressed. */
export class UnsupportedContentError extends Error {
  readonly code = 'unsupported_media_type';

  constructor() {
    super('Content-Type must be application/json, without a Content-Encoding');
  }
}
