import type { TokenFamily } from '@tandem/auth';

/** The claims of a token. */
export interface TokenClaims {
  readonly family?: TokenFamily;
  readonly scope?: string;
  readonly amr?: readonly string[];
  /** When the user authenticated, Unix seconds. Default: now, if `amr` has a second factor. */
  readonly authTime?: number;
  /** Makes the token a subscription receipt token. */
  readonly entitlements?: readonly string[];
  /** Overrides the issuer of the token's family. */
  readonly iss?: string;
  /** Overrides the audience that the apps require. */
  readonly aud?: string;
  /** How long the token is valid, in seconds; negative: the token has already expired. Default: an hour. */
  readonly expiresIn?: number;
}

/**
 * The outside world, played by the sandbox: token issuers, the identity vendor, and an inbox that accepts every
 * postback.
 */
export class Outside {
  /** @param appKey the platform's key at the identity vendor */
  constructor(
    protected readonly sandboxUrl: string,
    readonly appKey: string,
  ) {}

  /** Returns the URL of the issuer of a family of tokens. */
  issuer(family: TokenFamily): string {
    return `${this.sandboxUrl}/issuer/${family}`;
  }

  /** Returns the URL of an endpoint that answers every postback with 200. */
  get postbackUrl(): string {
    return `${this.sandboxUrl}/inbox/fuzz`;
  }

  /** Returns a token. The service issuer issues it if the claims name no other family or issuer. */
  async token(sub: string, claims: TokenClaims = {}): Promise<string> {
    const { token } = (await this.control('/issuer/token', { family: 'service', sub, ...claims })) as { token: string };
    return token;
  }

  /** Sends a control command to the sandbox. */
  async control(target: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.sandboxUrl + target, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${target} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}
