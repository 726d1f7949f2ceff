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

/** Why a token is asked for. */
export interface TokenRequest {
  /** Whether the last token was refused with 401, so that a stored one is of no use. */
  readonly refused: boolean;
}

export interface IdentityOptions extends TransportOptions {
  /** Returns the user's access token. Called for each call, so return a stored token while it is valid. */
  readonly token: (request: TokenRequest) => string | Promise<string>;
  /**
   * Lets the user confirm a second factor, and returns the new token; store it, so that `token` returns it from then on. Called at most once
   * in a call, and once for calls that need it at the same time. What it throws ends the call.
   */
  readonly onSecondFactor?: (challenge: SecondFactorRequiredError) => string | Promise<string>;
}

const CLIENT_API: Api = { basePath: '/idp/array/users', errorOf };

/** Sends requests with the user's token, renews it, and asks for a second factor. */
export class Session {
  readonly #options: IdentityOptions;
  private readonly transport: Transport;
  private confirmation: Promise<string> | undefined;

  /** @throws TypeError for an option that cannot work */
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
   * Returns the body of the answer; undefined when it has none. A request whose token is refused is sent once more with a new one, and once
   * more with a second factor: the platform has changed nothing when it refuses a token.
   */
  async send<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    const { onSecondFactor } = this.#options;
    let [isRenewed, isConfirmed] = [false, false];
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
          isConfirmed = true;
          token = await unlessAborted(
            this.confirm(() => onSecondFactor(error)),
            signal,
          );
        } else throw error;
      }
    }
  }

  private token(request: TokenRequest, signal: AbortSignal | undefined): Promise<string> {
    return unlessAborted(Promise.resolve(this.#options.token(request)), signal);
  }

  /** Calls that need a second factor at the same time share one confirmation: the user is asked once. */
  private confirm(ask: () => string | Promise<string>): Promise<string> {
    this.confirmation ??= Promise.resolve()
      .then(ask)
      .finally(() => (this.confirmation = undefined));
    return this.confirmation;
  }
}

/** @throws TypeError for a token that no header can hold; never with the token in it */
function checked(token: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError('token and onSecondFactor must return an access token');
}

/** @throws the reason of the signal as soon as it aborts */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  throwIfAborted(signal);
  if (!signal) return work;
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(reasonOf(signal));
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
