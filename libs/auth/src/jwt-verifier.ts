import { setTimeout as delay } from 'node:timers/promises';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { InvalidTokenError, JwksUnavailableError } from './auth.errors';
import { isOfType, scopesOf, unverified } from './jwt-claims';

/** The two kinds of trusted issuers: those of service access tokens, and those of OpenID access tokens. */
export const TOKEN_FAMILIES = ['service', 'openid'] as const;
export type TokenFamily = (typeof TOKEN_FAMILIES)[number];

/** A trusted issuer. */
export interface TrustedIssuer {
  readonly family: TokenFamily;
  /** The exact `iss` of the issuer's tokens. */
  readonly issuer: string;
  readonly jwksUrl: string;
}

/** The issuers that a {@link JwtVerifier} trusts, and how the verifier reads the issuers' keys. */
export interface JwtVerifierOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** The `aud` that a token must have. If this is a list, the token must have at least one of its entries. */
  readonly audience: string | string[];
  /** How many seconds the clocks of an issuer and of this app may differ. Default 60. */
  readonly clockSkewSeconds?: number;
  /** How long keys are used after they were read. Default 10 minutes. */
  readonly jwksCacheMs?: number;
  /**
   * The cooldown: the minimum time between two reads of one issuer's keys, whatever tokens arrive. Default 1 s.
   *
   * A token that is signed with an unknown key waits for the end of the cooldown if at most 1 s of it is left; otherwise the token is
   * refused immediately. At most 64 such tokens wait for one issuer's keys at the same time; any further token with an unknown key fails
   * with JwksUnavailableError.
   */
  readonly jwksCooldownMs?: number;
  /** How long reading the keys of an issuer may take: after this time, the read has failed. Default 3 s. */
  readonly jwksTimeoutMs?: number;
}

/** A verified token. */
export interface VerifiedToken {
  readonly family: TokenFamily;
  /** `sub` */
  readonly subject: string;
  /** The scopes in the claim `scope`. */
  readonly scopes: ReadonlySet<string>;
  readonly claims: Readonly<JWTPayload>;
}

/** The accepted algorithms, all of them asymmetric: with a symmetric one, everyone who can read the public keys could sign tokens. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The types of access tokens. JWTs for other purposes (`srt+jwt`, `dpop+jwt`, `logout+jwt`) are not accepted as access tokens. */
const ACCESS_TOKEN_TYPES = ['jwt', 'at+jwt'];

/** The type of subscription receipts. */
const RECEIPT_TYPES = ['srt+jwt'];

/** Verifies tokens by the published keys (JWKS) of their issuers. Create one verifier and keep it, because it caches the keys. */
export class JwtVerifier {
  private readonly issuers = new Map<string, { family: TokenFamily; keys: JWTVerifyGetKey }>();
  private readonly checks: Omit<JWTVerifyOptions, 'issuer' | 'currentDate'>;

  /** @throws Error when an `issuer` is configured twice: the family of its tokens could be ambiguous */
  constructor(options: JwtVerifierOptions) {
    for (const trusted of options.issuers) {
      if (this.issuers.has(trusted.issuer)) throw new Error(`The issuer ${trusted.issuer} is configured twice`);
      this.issuers.set(trusted.issuer, { family: trusted.family, keys: keysOf(trusted, options) });
    }
    this.checks = {
      audience: options.audience,
      clockTolerance: options.clockSkewSeconds ?? 60,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
    };
  }

  /**
   * Verifies signature, algorithm, type, `iss`, `aud`, `sub`, `exp` and `nbf` of an access token.
   * @throws InvalidTokenError when the token is invalid
   * @throws JwksUnavailableError when the issuer's keys cannot be read, or too many tokens with unknown keys already wait for a
   *   read of the keys
   */
  verify(token: string, now = new Date()): Promise<VerifiedToken> {
    return this.verifyOfType(ACCESS_TOKEN_TYPES, token, now);
  }

  /** Verifies a subscription receipt token (`typ: srt+jwt`). Receipts and access tokens are never accepted in place of each other. */
  verifyReceipt(token: string, now = new Date()): Promise<VerifiedToken> {
    return this.verifyOfType(RECEIPT_TYPES, token, now);
  }

  private async verifyOfType(types: readonly string[], token: string, now: Date): Promise<VerifiedToken> {
    const { issuer, family, keys } = this.issuerOf(token, types);
    const { payload } = await jwtVerify(token, keys, { ...this.checks, issuer, currentDate: now }).catch(
      (cause: unknown): never => {
        if (cause instanceof JwksUnavailableError) throw cause;
        throw new InvalidTokenError(cause instanceof Error ? cause.message : 'The token cannot be verified', { cause });
      },
    );
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new InvalidTokenError('The token has no subject');
    return { family, subject: payload.sub, scopes: scopesOf(payload), claims: payload };
  }

  private issuerOf(
    token: string,
    types: readonly string[],
  ): { issuer: string; family: TokenFamily; keys: JWTVerifyGetKey } {
    const { typ, iss } = unverified(token);
    if (!isOfType(typ, types)) throw new InvalidTokenError(`A JWT of type ${String(typ)} is not accepted here`);
    const trusted = typeof iss === 'string' ? this.issuers.get(iss) : undefined;
    if (!trusted) throw new InvalidTokenError('The issuer of the token is not trusted');
    return { issuer: iss as string, ...trusted };
  }
}

/** Maximum time that a token signed with an unknown key waits for the end of a cooldown. */
const MAX_COOLDOWN_WAIT_MS = 1_000;

/**
 * Maximum number of tokens signed with unknown keys that wait for one issuer's keys. Anybody can send such tokens: without this limit,
 * the waiting requests could occupy every connection from the proxy to this app.
 */
const MAX_WAITING = 64;

function keysOf(trusted: TrustedIssuer, options: JwtVerifierOptions): JWTVerifyGetKey {
  const find = findKey(trusted, options);
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (cause) {
      if (isFaultOfToken(cause)) throw cause;
      throw new JwksUnavailableError(trusted.issuer, { cause });
    }
  };
}

/**
 * Finds the key of a token among the issuer's published keys. An unknown key may have been published since the last read, so the keys are
 * read once more after the cooldown, for all waiting tokens together. A token whose key is known never waits for such a read.
 */
function findKey({ jwksUrl }: TrustedIssuer, options: JwtVerifierOptions): JWTVerifyGetKey {
  const cooldownMs = options.jwksCooldownMs ?? 1_000;
  const fetchKeys = failingFast(cooldownMs);
  let readAt = -Infinity;
  const remote = createRemoteJWKSet(new URL(jwksUrl), {
    // jose measures the age of the keys by the wall clock, which can be set back. `load` uses a monotonic clock
    // instead.
    cacheMaxAge: Infinity,
    // jose must not read the keys again when a token has an unknown key: any number of tokens could wait for such a read.
    cooldownDuration: Infinity,
    timeoutDuration: options.jwksTimeoutMs ?? 3_000,
    [customFetch]: (url, init) => {
      readAt = performance.now();
      return fetchKeys(url, init);
    },
  });
  let loadedAt = -Infinity;
  const load = async (): Promise<void> => {
    const startedAt = performance.now();
    await remote.reload();
    loadedAt = startedAt;
  };
  const cooldownLeftMs = (): number => Math.max(0, readAt + cooldownMs - performance.now());
  const readAgain = async (): Promise<void> => {
    const last = readAt;
    await delay(cooldownLeftMs());
    if (readAt === last) await load();
  };
  let next: Promise<void> | undefined;
  let waiting = 0;
  return async (header, token) => {
    const cameAt = performance.now();
    for (;;) {
      try {
        if (performance.now() - loadedAt >= (options.jwksCacheMs ?? 600_000)) await load();
        return await remote(header, token);
      } catch (error) {
        const mayBeNew = error instanceof errors.JWKSNoMatchingKey && readAt < cameAt;
        if (!mayBeNew || cooldownLeftMs() > MAX_COOLDOWN_WAIT_MS) throw error;
      }
      if (waiting >= MAX_WAITING) throw new Error(`${MAX_WAITING} tokens of unknown keys are already waiting`);
      waiting += 1;
      try {
        await (next ??= readAgain().finally(() => (next = undefined)));
      } finally {
        waiting -= 1;
      }
    }
  };
}

/** Returns true if the token caused the error: it matches no key or several keys, or its algorithm is not supported. */
function isFaultOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** Makes reads fail immediately during the cooldown after a failed read. Otherwise each request would wait for an issuer that is down. */
function failingFast(cooldownMs: number): FetchImplementation {
  let failedAt = -Infinity;
  let failure: unknown;
  return async (url, init) => {
    if (performance.now() - failedAt < cooldownMs) throw failure;
    try {
      const response = await fetch(url, init);
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      // The body is read here, so that a body that never ends also counts as a failure.
      return new Response(await response.text());
    } catch (error) {
      failedAt = performance.now();
      failure = error;
      throw error;
    }
  };
}
