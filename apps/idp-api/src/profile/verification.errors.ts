/** The wait after a refused verification is not over. */
export class AttemptsTooEarlyError extends Error {
  readonly code = 'attempts_too_early';

  /** @param retryAfterSeconds whole seconds until the next attempt is allowed */
  constructor(readonly retryAfterSeconds: number) {
    super('the wait after a refused verification is not over');
  }
}

/** The user has no verification attempt left. Support can unlock the user. */
export class MaximumAttemptsError extends Error {
  readonly code = 'maximum_attempts_reached';

  constructor() {
    super('all verification attempts are used up');
  }
}

/**
 * Support tried to change personal data, but the vendor did not confirm the identity. The refusal does not count as one of the user's
 * verification attempts.
 */
export class IdentityNotConfirmedError extends Error {
  readonly code = 'identity_not_confirmed';

  constructor() {
    super('the vendor does not confirm the identity');
  }
}
