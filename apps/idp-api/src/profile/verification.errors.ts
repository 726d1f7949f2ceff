/** A verification failed a short while ago: the user has to wait. */
export class AttemptsTooEarlyError extends Error {
  readonly code = 'attempts_too_early';

  /** @param retryAfterSeconds whole seconds until the next attempt is allowed */
  constructor(readonly retryAfterSeconds: number) {
    super('the wait after a refused verification is not over');
  }
}

/** All verifications are used up: only support, or a new start, helps. */
export class MaximumAttemptsError extends Error {
  readonly code = 'maximum_attempts_reached';

  constructor() {
    super('all attempts of verification are used up');
  }
}

/** The vendor does not confirm the identity in a change by support. Nothing is counted. */
export class IdentityNotConfirmedError extends Error {
  readonly code = 'identity_not_confirmed';

  constructor() {
    super('the vendor does not confirm the identity');
  }
}
