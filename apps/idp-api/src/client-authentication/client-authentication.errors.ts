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
