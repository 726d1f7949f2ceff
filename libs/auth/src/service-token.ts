import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidSecretError, InvalidTokenError } from './auth.errors';

/** Sets these tokens apart from every other JWT: none of the other kinds can ever be taken for one. */
const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'tandem-service+jwt' })).toString('base64url');
const DEFAULT_LIFETIME_SECONDS = 60;
/** A token that claims to live longer was not made here. */
const MAX_LIFETIME_SECONDS = 300;
/** Clocks of two machines may differ by this. */
const CLOCK_SKEW_SECONDS = 30;
/** HS256 wants a secret at least as long as its hash (RFC 7518, section 3.2). */
const MIN_SECRET_BYTES = 32;

/** What {@link issueServiceToken} puts into a token. */
export interface ServiceTokenToIssue {
  /** The first one signs; the others are for verifying while secrets are rotated. */
  readonly secrets: readonly string[];
  /** The app that calls. */
  readonly from: string;
  /** The app that is called: the token is good there only. */
  readonly audience: string;
  readonly now: Date;
  /** 60 when left out, at most 300. */
  readonly lifetimeSeconds?: number;
}

/**
 * Makes a short-lived token by which one of our apps calls another: a JWT, HS256.
 * @throws InvalidSecretError when there is no secret, or one of less than 32 bytes
 */
export function issueServiceToken(token: ServiceTokenToIssue): string {
  const { secrets, from, audience, now, lifetimeSeconds = DEFAULT_LIFETIME_SECONDS } = token;
  if (!(lifetimeSeconds > 0 && lifetimeSeconds <= MAX_LIFETIME_SECONDS)) {
    throw new RangeError(`A service token lives between 1 and ${MAX_LIFETIME_SECONDS} seconds`);
  }
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = { iss: from, aud: audience, iat: issuedAt, exp: issuedAt + Math.ceil(lifetimeSeconds) };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${signatureOf(signed, secretsOf(secrets)[0] ?? '')}`;
}

/** What {@link verifyServiceToken} looks at. */
export interface ServiceTokenVerification {
  /** The token is good when any of them signed it. */
  readonly secrets: readonly string[];
  readonly token: string;
  /** The name of this app. */
  readonly audience: string;
  readonly now: Date;
}

/**
 * Verifies a token of {@link issueServiceToken}.
 * @returns the app that calls
 * @throws InvalidTokenError when it is malformed, forged, expired, from the future or for another app
 * @throws InvalidSecretError when there is no secret, or one of less than 32 bytes
 */
export function verifyServiceToken({ secrets, token, audience, now }: ServiceTokenVerification): { from: string } {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  if (header !== HEADER || payload === '' || more.length > 0) throw new InvalidTokenError('This is no service token');
  const signed = `${header}.${payload}`;
  let matches = 0;
  for (const secret of secretsOf(secrets)) matches += equal(signature, signatureOf(signed, secret)) ? 1 : 0;
  if (matches === 0) throw new InvalidTokenError('The signature of the service token is wrong');

  const { iss, aud, iat, exp } = claimsOf(payload);
  if (typeof iss !== 'string' || iss === '' || typeof iat !== 'number' || typeof exp !== 'number') {
    throw new InvalidTokenError('The service token lacks a claim');
  }
  if (aud !== audience) throw new InvalidTokenError('The service token is for another app');
  const nowSeconds = now.getTime() / 1000;
  if (exp - iat > MAX_LIFETIME_SECONDS) throw new InvalidTokenError('The service token lives too long');
  if (nowSeconds >= exp + CLOCK_SKEW_SECONDS) throw new InvalidTokenError('The service token is expired');
  if (nowSeconds < iat - CLOCK_SKEW_SECONDS) throw new InvalidTokenError('The service token is from the future');
  return { from: iss };
}

function secretsOf(secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret, 'utf8') < MIN_SECRET_BYTES)) {
    throw new InvalidSecretError(`A service token needs a secret of at least ${MIN_SECRET_BYTES} bytes`);
  }
  return secrets;
}

function claimsOf(payload: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims === 'object' && claims !== null) return claims as Record<string, unknown>;
  } catch (cause) {
    throw new InvalidTokenError('The claims of the service token are no JSON', { cause });
  }
  throw new InvalidTokenError('The claims of the service token are no object');
}

function signatureOf(signed: string, secret: string): string {
  return createHmac('sha256', secret).update(signed, 'utf8').digest('base64url');
}

function equal(received: string, expected: string): boolean {
  const one = Buffer.from(received, 'utf8');
  const other = Buffer.from(expected, 'utf8');
  return one.length === other.length && timingSafeEqual(one, other);
}
