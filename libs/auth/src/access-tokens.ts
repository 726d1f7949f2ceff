import { InvalidTokenError, UnauthorizedError } from './auth.errors';
import { bearerTokenOf } from './bearer';
import type { JwtVerifier, VerifiedToken } from './jwt-verifier';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;
/** Of the texts of the kept tokens. What is parsed of a token takes about as much again. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const SCHEME = 'Bearer ';

/** Whom {@link AccessTokens} admits, in addition to what the verifier checks. */
export interface AccessTokensOptions {
  /** Whether a token's `sub` is one of those who may call; everybody when left out. */
  readonly isSubject?: (subject: string) => boolean;
  /** Gets why a request was refused: for the log, never for the caller. */
  readonly onRefused?: (reason: string) => void;
}

/**
 * Authenticates requests by the access token of their `Authorization` header, and remembers a good token for a minute: a client sends
 * the same one with each of its requests, and the signature costs as much as the rest of a short request. A token never outlives its
 * `exp` here; a key that its issuer withdraws is trusted for a minute longer.
 */
export class AccessTokens {
  /** By the token's text, the oldest first: a request that is known costs one look-up. */
  private readonly kept = new Map<string, { token: VerifiedToken; until: number }>();
  private keptBytes = 0;

  constructor(
    private readonly verifier: JwtVerifier,
    private readonly options: AccessTokensOptions = {},
  ) {}

  /**
   * The token of a header that was authenticated within the last minute; undefined for any other. A short request is served without the
   * promises of `authenticate`, which cost it more than the look-up.
   */
  known(authorization: string | undefined, now = new Date()): VerifiedToken | undefined {
    const kept = authorization?.startsWith(SCHEME) ? this.kept.get(authorization.slice(SCHEME.length)) : undefined;
    return kept && now.getTime() < kept.until ? kept.token : undefined;
  }

  /**
   * @param authorization the header's text
   * @throws UnauthorizedError when there is no good token
   * @throws JwksUnavailableError when the issuer's keys cannot be read, so that it cannot be told
   */
  async authenticate(authorization: string | undefined, now = new Date()): Promise<VerifiedToken> {
    const known = this.known(authorization, now);
    if (known) return known;
    const text = bearerTokenOf(authorization);
    if (text === null) throw new UnauthorizedError();
    // Written otherwise: with more blanks, or with the scheme in lower case.
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
    const until = Math.min(now.getTime() + KEPT_MS, (token.claims.exp ?? 0) * 1000);
    this.forget(text);
    // A copy: a part of a header keeps the whole header in memory.
    this.kept.set(Buffer.from(text, 'latin1').toString('latin1'), { token, until });
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
