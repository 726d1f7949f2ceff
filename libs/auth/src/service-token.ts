import { webcrypto } from 'node:crypto';
import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { InvalidSecretError, InvalidTokenError } from './auth.errors';
import type { ServiceKey, ServicePublicKeys } from './service-keys';

const ALGORITHM = 'EdDSA';
/** The algorithm of tokens that are signed with a shared secret. */
const SHARED_ALGORITHM = 'HS256';
/** The header's `typ`. No JWT of another type is accepted as a service token. */
const TYPE = 'tandem-service+jwt';
const DEFAULT_LIFETIME_SECONDS = 60;
/** The longest lifetime that a verifier accepts. Our apps issue no token with a longer lifetime. */
const MAX_LIFETIME_SECONDS = 300;
/** By how many seconds the clocks of two machines may differ. */
const CLOCK_SKEW_SECONDS = 30;
/** HS256 requires a secret at least as long as its hash (RFC 7518, section 3.2). */
const MIN_SECRET_BYTES = 32;

/** The key or the secrets with which a caller signs its tokens. */
export interface ServiceCredentials {
  /** The caller's own key. */
  readonly privateKey?: ServiceKey;
  /**
   * The secrets that all apps shared before each app had its own key. If there is no key, the first secret signs. Secrets are only
   * for the upgrade from a release without keys (decision 25).
   */
  readonly secrets?: readonly string[];
}

/** The input of {@link issueServiceToken}. */
export interface ServiceTokenToIssue extends ServiceCredentials {
  /** The calling app. */
  readonly from: string;
  /** The called app: the token is valid only there. */
  readonly audience: string;
  readonly now: Date;
  /** How long the token is valid. Default 60, at most 300. */
  readonly lifetimeSeconds?: number;
}

/**
 * Issues a short-lived token with which one of our apps calls another. The token is a JWT signed with the calling app's
 * Ed25519 key, whose id is in the header. If the app has no key, the first shared secret signs.
 *
 * @throws InvalidSecretError when there is no key, and either there is no secret or one has less than 32 bytes
 * @throws RangeError unless the lifetime is above 0 and at most 300 seconds
 */
export async function issueServiceToken(token: ServiceTokenToIssue): Promise<string> {
  const { privateKey, secrets = [], from, audience, now, lifetimeSeconds = DEFAULT_LIFETIME_SECONDS } = token;
  if (!(lifetimeSeconds > 0 && lifetimeSeconds <= MAX_LIFETIME_SECONDS)) {
    throw new RangeError(
      `The lifetime of a service token must be more than 0 and at most ${MAX_LIFETIME_SECONDS} seconds`,
    );
  }
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = { iss: from, aud: audience, iat: issuedAt, exp: issuedAt + Math.ceil(lifetimeSeconds) };
  const jwt = new SignJWT(claims);
  if (privateKey) return jwt.setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: privateKey.id }).sign(privateKey.key);
  const [secret] = await keysOf(secrets);
  return jwt.setProtectedHeader({ alg: SHARED_ALGORITHM, typ: TYPE }).sign(secret);
}

/** The credentials, the caller and the called app of the tokens: see {@link ServiceTokenToIssue}. */
export type ServiceTokensOptions = ServiceCredentials & Pick<ServiceTokenToIssue, 'from' | 'audience'>;

/** How long calls share a token, ms: half of its lifetime. Tokens are shared because signing a token for each call would cost CPU time. */
const REISSUE_AFTER_MS = (DEFAULT_LIFETIME_SECONDS * 1000) / 2;

/** Provides the tokens with which one of our apps calls another. */
export class ServiceTokens {
  private token: Promise<string> | undefined;
  private issuedAtMs = 0;

  constructor(private readonly options: ServiceTokensOptions) {}

  /**
   * Returns a token that is valid for at least 29 s: the shared token, or a new token if the shared one is 30 s old or the clock was
   * set back.
   *
   * @throws InvalidSecretError when there is no key, and either there is no secret or one has less than 32 bytes
   */
  tokenAt(now: Date): Promise<string> {
    const nowMs = now.getTime();
    if (this.token === undefined || nowMs < this.issuedAtMs || nowMs >= this.issuedAtMs + REISSUE_AFTER_MS) {
      this.token = issueServiceToken({ ...this.options, now });
      this.issuedAtMs = nowMs;
    }
    return this.token;
  }
}

/** The input of {@link verifyServiceToken}. */
export interface ServiceTokenVerification {
  /** The keys of the callers that this app accepts. */
  readonly publicKeys?: ServicePublicKeys;
  /** Shared secrets, for the upgrade only: a token that one of these secrets signed is valid, whichever caller the token names. */
  readonly secrets?: readonly string[];
  readonly token: string;
  /** The name of this app. */
  readonly audience: string;
  readonly now: Date;
}

/**
 * Verifies a token of {@link issueServiceToken}.
 *
 * @returns the calling app
 * @throws InvalidTokenError when the token is malformed, forged, expired, from the future, or for another app; when it
 *   is valid for more than 300 s; or when neither a key of the caller that it names nor a shared secret signed it
 * @throws InvalidSecretError when a shared secret has less than 32 bytes; for a token signed with a key, secrets are
 *   not checked
 */
export async function verifyServiceToken(verification: ServiceTokenVerification): Promise<{ from: string }> {
  const { audience, now } = verification;
  const { iss, aud, iat, exp } = await claimsOf(verification);
  if (typeof iss !== 'string' || iss === '' || typeof iat !== 'number' || typeof exp !== 'number') {
    throw new InvalidTokenError('The service token lacks a claim');
  }
  if (aud !== audience) throw new InvalidTokenError('The service token is for another app');
  if (exp - iat > MAX_LIFETIME_SECONDS) throw new InvalidTokenError('The service token lives too long');
  if (now.getTime() / 1000 < iat - CLOCK_SKEW_SECONDS)
    throw new InvalidTokenError('The service token is from the future');
  return { from: iss };
}

/**
 * Returns the claims of a token. The token must not have expired, and must be signed with a key of its issuer (the caller) or with
 * one of the shared secrets.
 */
async function claimsOf({ publicKeys, secrets = [], token, now }: ServiceTokenVerification): Promise<JWTPayload> {
  const { alg, kid, iss } = unverifiedPartsOf(token);
  const checks = { typ: TYPE, clockTolerance: CLOCK_SKEW_SECONDS, currentDate: now };
  if (alg === ALGORITHM) {
    const key = publicKeys?.find(iss, kid);
    if (!key) throw new InvalidTokenError('The service token is signed with an unknown key');
    return verified(() => jwtVerify(token, key, { ...checks, algorithms: [ALGORITHM] }));
  }
  if (secrets.length > 0)
    for (const key of await keysOf(secrets)) {
      const claims = await verified(() => jwtVerify(token, key, { ...checks, algorithms: [SHARED_ALGORITHM] })).catch(
        (error: InvalidTokenError) => {
          if (error.cause instanceof errors.JWSSignatureVerificationFailed) return null;
          throw error;
        },
      );
      if (claims) return claims;
    }
  throw new InvalidTokenError('The signature of the service token is wrong');
}

/** Returns the parts of a token that select its key. Do not trust them before the token is verified with this key. */
function unverifiedPartsOf(token: string): { alg: unknown; kid: string; iss: string } {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return { alg, kid: String(kid), iss: String(decodeJwt(token).iss) };
  } catch (cause) {
    throw new InvalidTokenError('The text is not a service token', { cause });
  }
}

/** Returns the claims of a verified token. @throws InvalidTokenError when `verify` fails; the failure is the `cause` */
async function verified(verify: () => Promise<{ payload: JWTPayload }>): Promise<JWTPayload> {
  try {
    return (await verify()).payload;
  } catch (cause) {
    if (cause instanceof errors.JWSSignatureVerificationFailed)
      throw new InvalidTokenError('The signature of the service token is wrong', { cause });
    if (cause instanceof errors.JWTExpired) throw new InvalidTokenError('The service token is expired', { cause });
    throw new InvalidTokenError('The text is not a service token', { cause });
  }
}

/** The imported key of each secret, so that each secret is imported once. The map stays small: secrets come from the configuration. */
const keys = new Map<string, Promise<CryptoKey>>();

/** Returns the key of each secret. @throws InvalidSecretError when there is no secret, or one has less than 32 bytes */
async function keysOf(secrets: readonly string[]): Promise<[CryptoKey, ...CryptoKey[]]> {
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret, 'utf8') < MIN_SECRET_BYTES)) {
    throw new InvalidSecretError(
      `A service token needs a private key, or a secret of at least ${MIN_SECRET_BYTES} bytes`,
    );
  }
  return (await Promise.all(secrets.map(keyOf))) as [CryptoKey, ...CryptoKey[]];
}

function keyOf(secret: string): Promise<CryptoKey> {
  let key = keys.get(secret);
  if (!key) {
    const raw = Buffer.from(secret, 'utf8');
    key = webcrypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    keys.set(secret, key);
  }
  return key;
}
