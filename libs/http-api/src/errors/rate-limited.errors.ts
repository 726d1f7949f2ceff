/** The caller has used up a policy's limit: 429 with `Retry-After`. */
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
