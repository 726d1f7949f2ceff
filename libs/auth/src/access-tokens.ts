import { InvalidTokenError, UnauthorizedError } from './auth.errors';
import { bearerTokenOf } from './bearer';
import type { JwtVerifier, VerifiedToken } from './jwt-verifier';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;
/** Maximum total size of the remembered tokens, in bytes. Their parsed claims take additional memory. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const SCHEME = 'Bearer ';

/** The options of {@link AccessTokens}. */
export interface AccessTokensOptions {
  /** Decides whether the subject (`sub`) of a token may call this app. Default: every subject may. */
  readonly isSubject?: (subject: string) => boolean;
  /**
   * Called with the reason for which a token was refused, so that the app can log the reason: callers never learn it. Not called for a
   * request without a token.
   */
  readonly onRefused?: (reason: string) => void;
}

/**
 * Authenticates requests by the access token in their `Authorization` header. Remembers a valid token for up to a minute,
 * because a client sends the same token with each request, and verifying the signature takes time. A remembered token is not
 * used beyond its `exp`. After JwtVerifier has stopped accepting a withdrawn key, remembered tokens of this key are accepted
 * for up to another minute.
 */
export class AccessTokens {
  /** The remembered tokens by their text; the oldest is the first. */
  private readonly kept = new Map<string, { token: VerifiedToken; from: number; until: number }>();
  private keptBytes = 0;

  constructor(
    private readonly verifier: JwtVerifier,
    private readonly options: AccessTokensOptions = {},
  ) {}

  /**
   * Returns the token of a header if the header is spelled `Bearer <token>` and the token is remembered; otherwise undefined.
   * Unlike `authenticate`, this function creates no promises.
   */
  known(authorization: string | undefined, now = new Date()): VerifiedToken | undefined {
    const kept = authorization?.startsWith(SCHEME) ? this.kept.get(authorization.slice(SCHEME.length)) : undefined;
    // If the clock was set back, the token is verified again. Otherwise it would be remembered until the clock has
    // caught up.
    return kept && now.getTime() >= kept.from && now.getTime() < kept.until ? kept.token : undefined;
  }

  /**
   * Returns the token of a header: the remembered token, or a newly verified one.
   *
   * @param authorization the header's text
   * @throws UnauthorizedError when the header has no valid token, or the token's subject may not call this app
   * @throws JwksUnavailableError when the issuer's keys cannot be read, or too many tokens with unknown keys already wait for a
   *   read of the keys
   */
  async authenticate(authorization: string | undefined, now = new Date()): Promise<VerifiedToken> {
    const known = this.known(authorization, now);
    if (known) return known;
    const text = bearerTokenOf(authorization);
    if (text === null) throw new UnauthorizedError();
    // A token may be remembered although `known` did not find it: the header may have more spaces, or the scheme in lower case.
    const same = this.known(SCHEME + text, now);
    if (same) return same;
    const token = await this.verify(text, now);
    this.keep(text, token, now);
    return token;
  }

  private async verify(text: string, now: Date): Promise<VerifiedToken> {
    const { isSubject = () => true, onRefused } = this.options;
    try {
      const token = await this.verifier.verify(text, now);
      if (!isSubject(token.subject)) throw new InvalidTokenError('The subject of the token may not call this app');
      return token;
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      onRefused?.(error.message);
      throw new UnauthorizedError();
    }
  }

  private keep(text: string, token: VerifiedToken, now: Date): void {
    const from = now.getTime();
    const until = Math.min(from + KEPT_MS, (token.claims.exp ?? 0) * 1000);
    this.forget(text);
    // Stores a copy of the text, because a substring would keep the whole header in memory.
    this.kept.set(Buffer.from(text, 'latin1').toString('latin1'), { token, from, until });
    this.keptBytes += text.length;
    for (const [oldest, { until: end }] of this.kept) {
      const isFull = this.kept.size > MAX_KEPT || this.keptBytes > MAX_KEPT_BYTES;
      if (!isFull && end > now.getTime()) return;
      this.forget(oldest);
    }
  }

  private forget(text: string): void {
    if (this.kept.delete(text)) this.keptBytes -= text.length;
  }
}
