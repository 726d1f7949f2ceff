/** The caller used up what a policy allows it: 429 with `Retry-After`. */
export class RateLimitedError extends Error {
  readonly code = 'rate_limited';

  constructor(
    readonly policy: string,
    readonly retryAfterSeconds: number,
    caller = 'token',
  ) {
    super(`The ${caller} has used up its limit "${policy}": try again in ${retryAfterSeconds} s`);
  }
}
