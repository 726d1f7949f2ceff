/** The operation needs a token that was issued after the user confirmed a second factor. */
export class TwoFactorAuthRequiredError extends Error {
  readonly code = 'two_factor_auth_required';

  constructor() {
    super('the operation needs a second factor');
  }
}
