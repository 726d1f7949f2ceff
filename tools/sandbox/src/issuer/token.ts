import { SignJWT, type JWTPayload } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Family, Keyring } from './keyring';

/** The requested claims of a token. `authTime` is in Unix seconds. */
export interface TokenRequest {
  family: Family;
  sub: string;
  amr?: string[];
  acr?: string;
  authTime?: number;
  scope?: string | string[];
  aud?: string | string[];
  iss?: string;
  /** The lifetime in seconds; negative for a token that has already expired. Default: 3600. */
  expiresIn?: number;
  /** When given, the token is a subscription receipt token instead of an access token. */
  entitlements?: string[];
  subscriptionId?: string;
}

const DEFAULT_AUDIENCE = 'tandem';
const DEFAULT_LIFETIME_SECONDS = 3600;

/** Signs a token. Its issuer is the `iss` of the request or, if omitted, `issuer`. */
export async function issueToken(keys: Keyring, issuer: string, wanted: TokenRequest, now: Date): Promise<string> {
  const { kid, alg, key } = await keys.signingKey(wanted.family);
  const seconds = Math.floor(now.getTime() / 1000);
  const expiry = seconds + (wanted.expiresIn ?? DEFAULT_LIFETIME_SECONDS);
  const isReceipt = wanted.entitlements !== undefined;
  return (
    new SignJWT(isReceipt ? receiptClaims(wanted) : accessClaims(wanted, seconds))
      .setProtectedHeader({ alg, kid, typ: isReceipt ? 'srt+jwt' : 'JWT' })
      .setIssuer(wanted.iss ?? issuer)
      .setAudience(wanted.aud ?? DEFAULT_AUDIENCE)
      .setSubject(wanted.sub)
      .setJti(randomUUID())
      // An expired token must have an issue time that is not after its expiry.
      .setIssuedAt(Math.min(seconds, expiry))
      .setExpirationTime(expiry)
      .sign(key)
  );
}

function accessClaims({ amr, acr, authTime, scope, subscriptionId }: TokenRequest, now: number): JWTPayload {
  const authenticatedAt = authTime ?? (amr?.includes('mfa') ? now : undefined);
  return {
    ...(amr && { amr }),
    ...(acr && { acr }),
    ...(authenticatedAt !== undefined && { auth_time: authenticatedAt }),
    ...(scope && { scope: Array.isArray(scope) ? scope.join(' ') : scope }),
    ...(subscriptionId && { subscription_id: subscriptionId }),
  };
}

const receiptClaims = ({ entitlements, subscriptionId }: TokenRequest): JWTPayload => ({
  entitlements,
  subscription_id: subscriptionId ?? `sub_${randomUUID()}`,
});
