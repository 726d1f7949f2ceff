import type { TokenRequest } from '../issuer/token';
import type { FaultBook } from './faults';
import { labelOf, type PersonalData, profileOf } from './personal-data';

/** The result of an attempt, in words for people. */
export interface AttemptResult {
  confirmed: boolean;
  text: string;
}

const TIMEOUT_MS = 20_000;
const TOKEN_SECONDS = 60;

/** For each error of the client API: the advice for people. */
const ADVICE: Readonly<Record<string, string>> = {
  UserNotFound: 'This user has not entered the personal data yet.',
  UserAlreadyExists: 'This user has already entered the personal data. Support can change it in the console.',
  EntitlementsRequired:
    'This user has no plan with identity protection: buy Advanced or Pro in the store with this user account. Just after the purchase, try again in a few seconds.',
  'rate limited': 'Wait a minute: the user has made too many requests.',
};

/**
 * Makes requests to the platform as a user's app would. Each request makes the platform verify the user's identity with the vendor, unless
 * the platform refuses the request first, for example because the user is locked.
 */
export class UserAttempts {
  readonly #url: string;

  /**
   * @param webhookUrl the platform's URL for the vendor's webhooks, `…/idp/array/webhook`; the requests go to `…/idp/array/users`
   * @param issue issues a token that the platform accepts
   * @param vendor counts the identities that the vendor has refused
   */
  constructor(
    webhookUrl: string,
    private readonly issue: (token: TokenRequest) => Promise<string>,
    private readonly vendor: Pick<FaultBook, 'refusals'>,
  ) {
    this.#url = new URL('users', webhookUrl).toString();
  }

  /**
   * Acts as the user and requests a token for the vendor's pages. This request changes no data of the user. A failure of the platform does not throw.
   */
  attempt(krn: string): Promise<AttemptResult> {
    return this.#post(krn, '/me/token', undefined, 'The identity was confirmed.');
  }

  /** Creates the profile of the user. A failure of the platform does not throw. */
  createProfile(krn: string, data: PersonalData): Promise<AttemptResult> {
    const done = 'The identity was confirmed, and the user has a profile. Support finds the user in the console.';
    return this.#post(krn, '', profileOf(data), done);
  }

  async #post(krn: string, path: string, body: object | undefined, done: string): Promise<AttemptResult> {
    const token = await this.issue({ family: 'service', sub: krn, amr: ['pwd', 'mfa'], expiresIn: TOKEN_SECONDS });
    const { refusals } = this.vendor;
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      // The platform gives the same answer to a refused identity and to an attempt during a lock. During a lock, it does not call the vendor, so the
      // vendor's number of refusals does not increase.
      const isRefused = this.vendor.refusals > refusals;
      return { confirmed: response.ok, text: response.ok ? done : describe(response.status, text, isRefused) };
    } catch {
      return { confirmed: false, text: 'The platform was not reached.' };
    }
  }
}

function describe(status: number, body: string, isRefused: boolean): string {
  const error = errorOf(body);
  if (error === undefined) return `The platform answered ${status}.`;
  const { retry_after: seconds, invalid_fields: invalid } = error.fields;
  if (error.name === 'AttemptsTooEarly' && typeof seconds === 'number') {
    return isRefused
      ? `The identity was not confirmed: the user is locked for ${waitOf(seconds)}.`
      : `The user is already locked; this attempt did not count. The lock ends in ${waitOf(seconds)}.`;
  }
  if (error.name === 'MaximumAttemptsReached') {
    return isRefused
      ? 'The identity was not confirmed: the user has no attempt left, and is locked until support ends the lock.'
      : 'The user is already locked; this attempt did not count. Only support can end the lock.';
  }
  const advice = Array.isArray(invalid)
    ? `These values are not valid: ${invalid.map(labelOf).join('; ')}.`
    : (ADVICE[error.name] ?? '');
  return `${advice} The platform answered ${status}: ${error.name}.`.trim();
}

function waitOf(seconds: number): string {
  if (seconds > 2 * 3600) return `${Math.ceil(seconds / 3600)} hours`;
  return seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
}

/** Reads the error of the client API, `{"BadRequest":{"<name>":{…}}}` or `{"error":"<name>"}`; undefined when the body is another one. */
function errorOf(body: string): { name: string; fields: Record<string, unknown> } | undefined {
  try {
    const { BadRequest, error } = JSON.parse(body) as Record<string, unknown>;
    if (typeof error === 'string') return { name: error, fields: {} };
    const [entry] = Object.entries((BadRequest ?? {}) as Record<string, Record<string, unknown>>);
    return entry && { name: entry[0], fields: entry[1] };
  } catch {
    return undefined;
  }
}
