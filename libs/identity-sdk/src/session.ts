import { AuthenticationError } from '../../../sdks/typescript/errors.ts';
import {
  type CallOptions,
  type Settings,
  settingsOf,
  type TransportOptions,
} from '../../../sdks/typescript/options.ts';
import { type Pace, reasonOf, throwIfAborted } from '../../../sdks/typescript/pace.ts';
import { type Api, type Call, Transport } from '../../../sdks/typescript/transport.ts';
import { errorOf, SecondFactorRequiredError } from './errors.ts';

/** The argument of the option `token`: why the client asks for a token. */
export interface TokenRequest {
  /** True if the platform refused the last token with 401: returning the same token again is useless. */
  readonly refused: boolean;
}

export interface IdentityOptions extends TransportOptions {
  /**
   * Returns the user's access token. The client calls this function once for each API call, again after a 401, and before it asks the user
   * for a second factor. So return a stored token while the token is valid.
   */
  readonly token: (request: TokenRequest) => string | Promise<string>;
  /**
   * Lets the user confirm a second factor, and returns the new token. Store the new token, so that `token` returns it from then on. An
   * API call uses this function at most once. API calls that need a second factor at the same time share one confirmation. If this function
   * throws, the API call fails with the same error.
   */
  readonly onSecondFactor?: (challenge: SecondFactorRequiredError) => string | Promise<string>;
}

const CLIENT_API: Api = { basePath: '/idp/array/users', errorOf };

/** Sends requests with the user's token, renews the token, and asks for a second factor. */
export class Session {
  readonly #options: IdentityOptions;
  private readonly transport: Transport;
  private confirmation: Promise<string> | undefined;

  /** @throws TypeError for an invalid option */
  constructor(options: IdentityOptions, pace: Pace) {
    const { token, onSecondFactor, ...rest } = options;
    if (typeof token !== 'function') throw new TypeError('token must be a function that returns the access token');
    if (onSecondFactor !== undefined && typeof onSecondFactor !== 'function')
      throw new TypeError('onSecondFactor must be a function that returns a token');
    const settings: Settings = settingsOf(rest);
    this.#options = options;
    this.transport = new Transport(CLIENT_API, settings, pace);
  }

  /**
   * Sends a request with the user's token, and returns the body of the answer; undefined for a 204.
   *
   * If the platform refuses the token with 401, `token` is called again. If it returns a different token, the request is sent once more.
   *
   * If a second factor is required and the option `onSecondFactor` is set, `token` is called again first, unless another call is already
   * asking the user: the user may have confirmed a second factor for another call in the meantime. If `token` returns a different token,
   * the request is sent with that token. If the token is the same, or a second factor is still required, `onSecondFactor` asks the user,
   * and the request is sent with the token that it returns.
   *
   * Sending again is safe, because the platform changes nothing when it refuses a token. Each time the request is sent, it has the full
   * `deadlineMs`.
   */
  async send<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    const { onSecondFactor } = this.#options;
    let [isRenewed, isReread, isConfirmed] = [false, false, false];
    let token = await this.token({ refused: false }, signal);
    for (;;) {
      try {
        const headers = { ...call.headers, authorization: `Bearer ${checked(token)}` };
        return await this.transport.send<T>({ ...call, headers }, options);
      } catch (error) {
        if (error instanceof AuthenticationError && !isRenewed) {
          isRenewed = true;
          const renewed = await this.token({ refused: true }, signal);
          if (renewed === token) throw error;
          token = renewed;
        } else if (error instanceof SecondFactorRequiredError && !isConfirmed && onSecondFactor) {
          const stored = isReread || this.confirmation ? token : await this.token({ refused: false }, signal);
          isReread = true;
          isConfirmed = stored === token;
          token = isConfirmed ? await unlessAborted(() => this.confirm(() => onSecondFactor(error)), signal) : stored;
        } else throw error;
      }
    }
  }

  private token(request: TokenRequest, signal: AbortSignal | undefined): Promise<string> {
    return unlessAborted(async () => this.#options.token(request), signal);
  }

  /** Asks the user for a second factor. Calls that need one at the same time share one confirmation: the user is asked once. */
  private confirm(ask: () => string | Promise<string>): Promise<string> {
    this.confirmation ??= Promise.resolve()
      .then(ask)
      .finally(() => (this.confirmation = undefined));
    return this.confirmation;
  }
}

/** @throws TypeError for a token that is not valid in a header; the message does not contain the token */
function checked(token: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError('token and onSecondFactor must return an access token');
}

/**
 * Starts work, and returns its result. If the signal has already aborted, the work is not started, because nobody would await it: its
 * failure would be an unhandled rejection, which ends a Node process.
 *
 * @throws the reason of the signal as soon as it aborts
 */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  throwIfAborted(signal);
  if (!signal) return work();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(reasonOf(signal));
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
