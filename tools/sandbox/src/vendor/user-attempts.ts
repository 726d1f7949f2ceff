import type { TokenRequest } from '../issuer/token';

/** The result of an attempt, in words for people. */
export interface AttemptResult {
  confirmed: boolean;
  text: string;
}

const TIMEOUT_MS = 20_000;
const TOKEN_SECONDS = 60;

/**
 * Makes requests to the platform as a user's app would, each of which makes the platform verify the user's identity with the vendor. The
 * request is the one for a token of the vendor's pages, because it changes no data of the user.
 */
export class UserAttempts {
  readonly #url: string;

  /**
   * @param webhookUrl the platform's URL for the vendor's webhooks, `…/idp/array/webhook`: the client API is next to it
   * @param issue issues a token that the platform accepts
   */
  constructor(
    webhookUrl: string,
    private readonly issue: (token: TokenRequest) => Promise<string>,
  ) {
    this.#url = new URL('users/me/token', webhookUrl).toString();
  }

  /** Makes one attempt as the user. A failure of the platform does not throw. */
  async attempt(krn: string): Promise<AttemptResult> {
    const token = await this.issue({ family: 'service', sub: krn, amr: ['pwd', 'mfa'], expiresIn: TOKEN_SECONDS });
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { confirmed: response.ok, text: describe(response.status, await response.text()) };
    } catch {
      return { confirmed: false, text: 'The platform was not reached.' };
    }
  }
}

function describe(status: number, body: string): string {
  if (status === 200) return 'The identity was confirmed.';
  const error = variantOf(body);
  const seconds = error?.fields.retry_after;
  if (error?.name === 'AttemptsTooEarly' && typeof seconds === 'number') {
    return `The identity was not confirmed: the user is locked for ${waitOf(seconds)}.`;
  }
  if (error?.name === 'MaximumAttemptsReached') {
    return 'The identity was not confirmed: the user has no attempt left, and is locked until support ends the lock.';
  }
  return `The platform answered ${status}${error ? `: ${error.name}` : ''}.`;
}

function waitOf(seconds: number): string {
  if (seconds > 2 * 3600) return `${Math.ceil(seconds / 3600)} hours`;
  return seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
}

/** Reads the error of the client API, `{"BadRequest":{"<name>":{…}}}`; undefined when the body is another one. */
function variantOf(body: string): { name: string; fields: Record<string, unknown> } | undefined {
  try {
    const { BadRequest } = JSON.parse(body) as { BadRequest?: Record<string, Record<string, unknown>> };
    const [entry] = Object.entries(BadRequest ?? {});
    return entry && { name: entry[0], fields: entry[1] };
  } catch {
    return undefined;
  }
}
