/** The operation needs a token which states that the user recently confirmed a second factor. */
export class TwoFactorAuthRequiredError extends Error {
  readonly code = 'two_factor_auth_required';

  constructor() {
    super('the operation needs a second factor');
  }
}
