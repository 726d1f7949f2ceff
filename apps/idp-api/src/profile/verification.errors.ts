/** The wait after a refused verification is not over. */
export class AttemptsTooEarlyError extends Error {
  readonly code = 'attempts_too_early';

  /** @param retryAfterSeconds whole seconds until the next attempt is allowed */
  constructor(readonly retryAfterSeconds: number) {
    super('the wait after a refused verification is not over');
  }
}

/** All attempts of verification are used up. The user needs support to be verified again. */
export class MaximumAttemptsError extends Error {
  readonly code = 'maximum_attempts_reached';

  constructor() {
    super('all attempts of verification are used up');
  }
}

/** The vendor does not confirm the identity during a change by support. The refusal is not counted. */
export class IdentityNotConfirmedError extends Error {
  readonly code = 'identity_not_confirmed';

  constructor() {
    super('the vendor does not confirm the identity');
  }
}
