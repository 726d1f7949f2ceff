import { Injectable } from '@nestjs/common';
import { bearerTokenOf, hashPartnerToken, parsePartnerToken, type PartnerScope, UnauthorizedError } from '@tandem/auth';
import { addLogFields, type RequestAuthenticator } from '@tandem/http-api';
import { RateLimits } from '@tandem/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PartnerKind } from '../partner/partner.entity';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { type PolicyName, policyOf } from '../rate-limit/rate-limit.rules';
import { PermissionDeniedError } from '../admin/admin.errors';
import { TokenUseRecorder } from './token-use-recorder';
import { type AuthenticatedPartner, TokenRepository } from './token.repository';

/** What an endpoint requires in addition to a valid token. */
export interface PartnerRequirements {
  readonly kind?: PartnerKind;
  readonly scope?: PartnerScope;
  /** True if only test tokens are admitted. */
  readonly testOnly?: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The partner whose token the request presents. Set by {@link PartnerTokenAuthenticator}. */
    partner?: AuthenticatedPartner;
  }
}

/**
 * Admits partners by their token. The authenticator checks, in this order: the token (401), the token's rate limit (429), the account
 * (403), and the environment and the scopes of the token (403). These checks run before the body is read, so even the answer to a malformed
 * body contains the headers of the rate limit.
 */
@Injectable()
export class PartnerTokenAuthenticator implements RequestAuthenticator<PartnerRequirements> {
  constructor(
    private readonly tokens: TokenRepository,
    private readonly uses: TokenUseRecorder,
    private readonly limits: RateLimits<PolicyName>,
  ) {}

  async authenticate(request: FastifyRequest, reply: FastifyReply, requirements: PartnerRequirements): Promise<void> {
    const partner = await this.find(request.headers.authorization);
    await this.limits.admit(partner.tokenId, policyOf(requirements.scope, request.method), reply);
    assertAdmitted(partner, requirements);
    request.partner = partner;
  }

  /**
   * Checks in the middle of a long answer whether its request would still be admitted. The check does not count against the rate limit.
   *
   * @throws UnauthorizedError when the token is no longer valid; PermissionDeniedError when the account is no longer active
   */
  async confirm(request: FastifyRequest, requirements: PartnerRequirements): Promise<void> {
    assertAdmitted(await this.find(request.headers.authorization), requirements);
  }

  private async find(header: string | undefined): Promise<AuthenticatedPartner> {
    const token = bearerTokenOf(header);
    // The checksum in the token reveals most typing errors and guessed tokens without a query.
    if (token === null || parsePartnerToken(token) === null) throw new UnauthorizedError();
    const partner = await this.tokens.findAuthenticated(hashPartnerToken(token));
    if (!partner) throw new UnauthorizedError();
    addLogFields({ partnerId: partner.partnerId });
    this.uses.record(partner.tokenId, new Date());
    return partner;
  }
}

function assertAdmitted(partner: AuthenticatedPartner, { kind, scope, testOnly }: PartnerRequirements): void {
  if (!partner.active) throw new PermissionDeniedError('The partner account is not active');
  if (kind && partner.kind !== kind) throw new IntegrationKindMismatchError(kind);
  if (testOnly && partner.environment !== 'test')
    throw new PermissionDeniedError('The operation is only for test tokens');
  if (scope && !partner.scopes.includes(scope)) throw new PermissionDeniedError(`The token lacks the scope ${scope}`);
}
