import { Injectable } from '@nestjs/common';
import { bearerTokenOf, hashPartnerToken, parsePartnerToken, type PartnerScope, UnauthorizedError } from '@tandem/auth';
import { addLogFields, type RequestAuthenticator } from '@tandem/http-api';
import { RateLimits } from '@tandem/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PartnerKind } from '../partner/partner.entity';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { type PolicyName, policyOf } from '../rate-limit/rate-limit.rules';
import { PermissionDeniedError } from './token.errors';
import { TokenUseRecorder } from './token-use.recorder';
import { type AuthenticatedPartner, TokenRepository } from './token.repository';

/** What a partner route asks of its caller beside a valid token: what is left out may be any. */
export interface PartnerRoute {
  readonly kind?: PartnerKind;
  readonly scope?: PartnerScope;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link PartnerTokenAuthenticator}. */
    partner?: AuthenticatedPartner;
  }
}

/**
 * Lets partners in by their token: first who it is (401), then whether its limit has room (429), then whether the account may
 * (403), then whether the token may. All before the body is read: so the answer to a broken body tells where the token stands, as
 * every other.
 */
@Injectable()
export class PartnerTokenAuthenticator implements RequestAuthenticator<PartnerRoute> {
  constructor(
    private readonly tokens: TokenRepository,
    private readonly uses: TokenUseRecorder,
    private readonly limits: RateLimits<PolicyName>,
  ) {}

  async authenticate(request: FastifyRequest, reply: FastifyReply, route: PartnerRoute): Promise<void> {
    const partner = await this.find(request.headers.authorization);
    await this.limits.admit(partner.tokenId, policyOf(route.scope, request.method), reply);
    if (!partner.active) throw new PermissionDeniedError('The partner account is not active');
    if (route.kind && partner.kind !== route.kind) throw new IntegrationKindMismatchError(route.kind);
    if (route.scope && !partner.scopes.includes(route.scope)) {
      throw new PermissionDeniedError(`The token lacks the scope ${route.scope}`);
    }
    request.partner = partner;
  }

  private async find(header: string | undefined): Promise<AuthenticatedPartner> {
    const token = bearerTokenOf(header);
    // The checksum refuses typing errors and guesses before they cost a query.
    if (token === null || parsePartnerToken(token) === null) throw new UnauthorizedError();
    const partner = await this.tokens.findAuthenticated(hashPartnerToken(token));
    if (!partner) throw new UnauthorizedError();
    addLogFields({ partnerId: partner.partnerId });
    this.uses.record(partner.tokenId, new Date());
    return partner;
  }
}
