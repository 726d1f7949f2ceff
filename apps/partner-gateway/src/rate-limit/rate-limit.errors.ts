/** The token used up what a policy allows it. */
export class RateLimitedError extends Error {
  readonly code = 'rate_limited';

  constructor(
    readonly policy: string,
    readonly retryAfterSeconds: number,
  ) {
    super(`The token has used up its limit "${policy}": try again in ${retryAfterSeconds} s`);
  }
}
