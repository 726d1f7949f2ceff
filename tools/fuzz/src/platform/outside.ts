import type { TokenFamily } from '@tandem/auth';

/** The claims of a token. */
export interface TokenClaims {
  readonly family?: TokenFamily;
  readonly scope?: string;
  readonly amr?: readonly string[];
  /** When the user authenticated, Unix seconds. Default: now, if `amr` has a second factor. */
  readonly authTime?: number;
  /** Makes it a subscription receipt token. */
  readonly entitlements?: readonly string[];
  /** Overrides the family's default. */
  readonly iss?: string;
  /** Overrides the audience that the apps require. */
  readonly aud?: string;
  /** Seconds. */
  readonly expiresIn?: number;
}

/** The outside world, played by the sandbox: its token issuers, its identity vendor, and an inbox that accepts every postback. */
export class Outside {
  /** @param appKey the platform's key at the identity vendor */
  constructor(
    protected readonly sandboxUrl: string,
    readonly appKey: string,
  ) {}

  /** Returns the name of a family's issuer. */
  issuer(family: TokenFamily): string {
    return `${this.sandboxUrl}/issuer/${family}`;
  }

  /** An endpoint that answers every postback with 200. */
  get postbackUrl(): string {
    return `${this.sandboxUrl}/inbox/fuzz`;
  }

  /** Returns a token of the service issuer, unless overridden. */
  async token(sub: string, claims: TokenClaims = {}): Promise<string> {
    const { token } = (await this.control('/issuer/token', { family: 'service', sub, ...claims })) as { token: string };
    return token;
  }

  /** Sends a command to the sandbox. */
  async control(target: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.sandboxUrl + target, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${target} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}
