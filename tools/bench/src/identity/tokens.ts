import { generateKeyPairSync, sign } from 'node:crypto';

export const ISSUER = 'https://issuer.bench.example.com';
const AUDIENCE = 'tandem';
const LIFE_SECONDS = 86_400;

/** An issuer of access tokens with one key for ES256. */
export class TokenIssuer {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** The issuer's public keys as JSON. */
  get jwks(): string {
    return JSON.stringify({ keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }] });
  }

  /** Issues a token for a user who has just authenticated with a second factor. */
  tokenOf(krn: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: krn, amr: ['mfa'], auth_time: now, exp: now + LIFE_SECONDS };
    const signed = `${encode({ alg: 'ES256', typ: 'JWT', kid: 'k1' })}.${encode(claims)}`;
    const key = { key: this.keys.privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
