import { Injectable } from '@nestjs/common';
import { JwtVerifier, type VerifiedToken } from '@tandem/auth';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

/**
 * Verifies access tokens, and remembers a good one for a minute: a client sends the same token with each of its requests, and the
 * signature costs as much as the rest of a short request. A token never outlives its `exp` here; a key that its issuer withdraws is
 * trusted for a minute longer.
 */
@Injectable()
export class VerifiedTokens {
  private readonly kept = new Map<string, { token: VerifiedToken; until: number }>();

  constructor(private readonly verifier: JwtVerifier) {}

  /** As `JwtVerifier.verify`. */
  async verify(text: string, now = new Date()): Promise<VerifiedToken> {
    const known = this.kept.get(text);
    if (known && now.getTime() < known.until) return known.token;
    this.kept.delete(text);
    const token = await this.verifier.verify(text, now);
    const until = Math.min(now.getTime() + KEPT_MS, (token.claims.exp ?? 0) * 1000);
    this.kept.set(text, { token, until });
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value as string);
    return token;
  }
}
