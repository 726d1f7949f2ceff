import { ConnectionFailedError, RateLimitError, ServerError, type TandemError, TimedOutError } from './errors.ts';

/**
 * When a request may be sent again. `always`: a read, or a write whose repeats the platform recognizes. `unsent`: any other write, which
 * is repeated only if no connection was established.
 */
export type Repeatable = 'always' | 'unsent';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8000;
/** Statuses of a temporary failure. A 500 is a bug: the same request would fail again. */
const PASSING = [502, 503, 504];

/**
 * Returns how long to wait before the next attempt: the time of `Retry-After`, if any, plus a random part ("full
 * jitter"). Because of the random part, clients that failed together do not retry together.
 *
 * @param attempt the number of the failed attempt, from 1
 * @param random from 0 (included) to 1 (excluded)
 * @param ownSeconds the seconds to wait if the answer has no `Retry-After`. Set only for an error that is worth a retry in
 *   this API
 * @returns milliseconds; undefined when the request must not be repeated
 */
export function waitBeforeRetry(
  error: TandemError,
  repeatable: Repeatable,
  attempt: number,
  random: number,
  ownSeconds?: number,
): number | undefined {
  const unsent = error instanceof ConnectionFailedError && !error.maybeReceived;
  if (!unsent && (repeatable === 'unsent' || !(passes(error) || ownSeconds !== undefined))) return undefined;
  const asked = error.retryAfterSeconds ?? ownSeconds ?? 0;
  return asked * 1000 + random * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
}

function passes(error: TandemError): boolean {
  if (error instanceof ServerError) return PASSING.includes(error.status ?? 0);
  return error instanceof RateLimitError || error instanceof ConnectionFailedError || error instanceof TimedOutError;
}

/** Codes of connections that were never established: in Node (libuv, undici), in Bun, and in Deno. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** Returns true if an error of `fetch` proves that nothing was sent; false for any other error, including unknown ones. */
export function wasNeverConnected(error: unknown): boolean {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && NEVER_CONNECTED.test(code)) return true;
    at = cause;
  }
  return false;
}
