import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { bearerTokenOf, InvalidTokenError, JwtVerifier, verifyWebhook, WebhookVerificationError } from '@tandem/auth';
import { AddressList, callerAddress } from '@tandem/http-api';
import { WebhookIngestConfig } from '../config';
import { UnauthorizedCallerError } from './webhook-authentication.errors';

/**
 * What an integration authenticates with: a signature that one of the secrets verifies or, without a signature, a bearer token with the
 * scope.
 */
export interface Integration {
  readonly secrets: readonly string[];
  readonly scope: string;
}

/** What a caller authenticates with. */
export type CredentialKind = 'signature' | 'bearer';

/** Checks whether a caller is a trusted integration. */
@Injectable()
export class WebhookAuthenticationService {
  private readonly allowed: AddressList;
  private readonly proxies: AddressList;
  private readonly tokens: JwtVerifier | undefined;

  constructor(private readonly config: WebhookIngestConfig) {
    this.allowed = config.INGEST_ALLOWED_IPS;
    this.proxies = config.INGEST_TRUSTED_PROXIES;
    this.tokens = tokenVerifier(config);
  }

  /**
   * Checks the caller's address and, if the request has no signature, the bearer token. These checks do not need the body.
   *
   * @returns `signature` if the signature still has to be verified, which needs the body; otherwise `bearer`
   * @throws UnauthorizedCallerError when the address is not allowed, or there is neither a signature nor a valid token with the scope
   * @throws JwksUnavailableError when the keys that verify a bearer token cannot be fetched
   */
  async admitCaller(
    integration: Integration,
    headers: IncomingHttpHeaders,
    socketAddress: string,
  ): Promise<CredentialKind> {
    const address = callerAddress(socketAddress, headers['x-forwarded-for'], this.proxies);
    if (!this.allowed.isEmpty && !this.allowed.has(address)) throw new UnauthorizedCallerError('address_not_allowed');
    // If the request has a signature, it must be valid. A valid bearer token does not replace it.
    if (headers['webhook-signature'] !== undefined) return 'signature';
    const token = bearerTokenOf(headers.authorization);
    if (token === null || !this.tokens) throw new UnauthorizedCallerError('no_credentials');
    await this.verifyToken(this.tokens, token, integration.scope);
    return 'bearer';
  }

  /**
   * Verifies the signature of a body.
   * @throws UnauthorizedCallerError when a header is missing or malformed, the timestamp is outside the tolerance, or no signature matches
   */
  verifySignature(integration: Integration, headers: IncomingHttpHeaders, rawBody: Buffer, now: Date): void {
    const { secrets } = integration;
    const toleranceSeconds = this.config.WEBHOOK_TOLERANCE_SECONDS;
    try {
      verifyWebhook({ secrets, headers, rawBody, now, toleranceSeconds });
    } catch (cause) {
      if (!(cause instanceof WebhookVerificationError)) throw cause;
      const reason = cause.reason === 'signature_mismatch' ? cause.reason : (`signature_${cause.reason}` as const);
      throw new UnauthorizedCallerError(reason, { cause });
    }
  }

  private async verifyToken(tokens: JwtVerifier, token: string, scope: string): Promise<void> {
    const { scopes } = await tokens.verify(token).catch((cause: unknown): never => {
      if (cause instanceof InvalidTokenError) throw new UnauthorizedCallerError('token_invalid', { cause });
      throw cause;
    });
    if (!scopes.has(scope)) throw new UnauthorizedCallerError('scope_missing');
  }
}

/**
 * Creates the verifier of bearer tokens. It trusts only the issuer of service tokens, so that an OpenID token of a user is never accepted,
 * whatever its scopes. Returns undefined if no issuer of service tokens is configured.
 */
function tokenVerifier(config: WebhookIngestConfig): JwtVerifier | undefined {
  const { jwtIssuers: issuers, JWT_AUDIENCE: audience } = config;
  return issuers.length === 0 ? undefined : new JwtVerifier({ issuers, audience });
}
