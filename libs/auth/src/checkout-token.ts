import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CheckoutFault, Environment } from '@tandem/contracts';

/** The content of a checkout token: the partner and the reference that the sale will be attributed to, the discount and the expiry. */
export interface CheckoutClaims {
  partnerId: string;
  promotionId: string;
  percentOff: number;
  environment: Environment;
  /** The partner's `ref_id`. */
  refId: string | null;
  expiresAt: Date;
}

/** Why a token is refused: `token_forged` means that it is malformed, or that no configured key has signed its content. */
export type CheckoutTokenFault = CheckoutFault;

export type VerifiedCheckoutToken =
  { claims: CheckoutClaims; fault: null } | { claims: null; fault: CheckoutTokenFault };

/** The version, then the fields of {@link CheckoutClaims}. The payload is an array, because an object would make the URL longer. */
type Payload = [1, string, string, number, 'l' | 't', string | null, number];

/**
 * Creates and reads the tokens of checkout URLs: `<key id>.<payload>.<HMAC-SHA-256>`, URL-safe. The payload contains all
 * claims, so a checkout URL needs no row in the database, and stays valid after restarts and on every replica.
 */
export class CheckoutTokens {
  private readonly keys = new Map<string, Buffer>();
  private readonly currentKeyId: string;

  /**
   * @param keys `k2:<base64>,k1:<base64>`: the first key signs, all keys verify. Keep a key configured until its tokens
   *   have expired and the payments that were made with these tokens have been reported
   * @throws Error when there is no key, when an entry does not have this form, when an id repeats, or when a key is
   *   shorter than 32 bytes
   */
  constructor(keys: string) {
    for (const entry of keys.split(',').map((part) => part.trim())) {
      const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
      if (!id || !encoded) throw new Error('signing keys are a comma-separated list of <id>:<base64>');
      const key = Buffer.from(encoded, 'base64');
      if (key.length < 32) throw new Error(`signing key ${id} has ${key.length} bytes: 32 are needed`);
      if (this.keys.has(id)) throw new Error(`signing key id ${id} is given twice`);
      this.keys.set(id, key);
    }
    this.currentKeyId = this.keys.keys().next().value as string;
  }

  sign(claims: CheckoutClaims): string {
    const payload: Payload = [
      1,
      claims.partnerId,
      claims.promotionId,
      claims.percentOff,
      claims.environment === 'live' ? 'l' : 't',
      claims.refId,
      Math.floor(claims.expiresAt.getTime() / 1000),
    ];
    const signed = `${this.currentKeyId}.${Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url')}`;
    return `${signed}.${signatureOf(signed, this.keys.get(this.currentKeyId) as Buffer).toString('base64url')}`;
  }

  /**
   * Verifies the token of a purchase.
   *
   * @param at the time of the purchase: the token must have been valid at that time, even if the payment is reported much later
   * @returns the claims, or why the token is refused
   */
  verify(token: string, at: Date): VerifiedCheckoutToken {
    const [keyId = '', encoded = '', signature = '', ...more] = token.split('.');
    const key = this.keys.get(keyId);
    if (!key || more.length > 0) return FORGED;
    const expected = signatureOf(`${keyId}.${encoded}`, key);
    const received = Buffer.from(signature, 'base64url');
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return FORGED;
    const claims = claimsOf(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as Payload);
    return at.getTime() < claims.expiresAt.getTime() ? { claims, fault: null } : EXPIRED;
  }
}

const FORGED: VerifiedCheckoutToken = { claims: null, fault: 'token_forged' };
const EXPIRED: VerifiedCheckoutToken = { claims: null, fault: 'token_expired' };

/** Reads the claims of a payload whose signature was verified. */
const claimsOf = ([, partnerId, promotionId, percentOff, environment, refId, expiresAt]: Payload): CheckoutClaims => ({
  partnerId,
  promotionId,
  percentOff,
  environment: environment === 'l' ? 'live' : 'test',
  refId,
  expiresAt: new Date(expiresAt * 1000),
});

const signatureOf = (signed: string, key: Buffer): Buffer => createHmac('sha256', key).update(signed, 'utf8').digest();
