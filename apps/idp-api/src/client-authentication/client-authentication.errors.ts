/** No good access token: all reasons look the same to the outside. */
export class UnauthorizedError extends Error {
  readonly code = 'unauthorized';

  constructor() {
    super('unauthorized');
  }
}

/** The operation needs a token that was given for a second factor. */
export class TwoFactorAuthRequiredError extends Error {
  readonly code = 'two_factor_auth_required';

  constructor() {
    super('the operation needs a second factor');
  }
}

/** The user made as many requests of a kind as a minute allows. */
export class RateLimitedError extends Error {
  readonly code = 'rate_limited';

  constructor(readonly retryAfterSeconds: number) {
    super('rate limited');
  }
}
