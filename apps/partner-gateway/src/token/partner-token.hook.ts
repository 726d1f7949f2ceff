import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { hashPartnerToken, parsePartnerToken, type PartnerScope } from '@tandem/auth';
import { addLogFields } from '@tandem/service-defaults';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PartnerKind } from '../partner/partner.entity';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { RateLimitedError } from '../rate-limit/rate-limit.errors';
import { policyOf, rateLimitHeaders } from '../rate-limit/rate-limit.rules';
import { RateLimitService } from '../rate-limit/rate-limit.service';
import { bearerTokenOf } from './bearer.rules';
import { PermissionDeniedError, UnauthorizedError } from './token.errors';
import { TokenUseRecorder } from './token-use.recorder';
import { type AuthenticatedPartner, TokenRepository } from './token.repository';

/** What a partner route asks of its caller beside a valid token: what is left out may be any. */
export interface PartnerRoute {
  readonly kind?: PartnerKind;
  readonly scope?: PartnerScope;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@PartnerAccess()`. */
    partnerRoute?: PartnerRoute;
  }
  interface FastifyRequest {
    /** Set by {@link PartnerTokenHook}. */
    partner?: AuthenticatedPartner;
  }
}

/**
 * Lets partners in by their token: first who it is (401), then whether its limit has room (429), then whether the account may
 * (403), then whether the token may. A hook and not a guard, because a guard runs after the body was read: nobody makes us read
 * a body without a token, and the answer to a broken body tells of the limit as every other.
 */
@Injectable()
export class PartnerTokenHook implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly tokens: TokenRepository,
    private readonly uses: TokenUseRecorder,
    private readonly limits: RateLimitService,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request, reply) => {
      const { partnerRoute } = request.routeOptions.config;
      if (partnerRoute) request.partner = await this.admit(partnerRoute, request, reply);
    });
  }

  private async admit(
    route: PartnerRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<AuthenticatedPartner> {
    const partner = await this.authenticate(request.headers.authorization);
    await this.count(partner, route, request, reply);
    if (!partner.active) throw new PermissionDeniedError('The partner account is not active');
    if (route.kind && partner.kind !== route.kind) throw new IntegrationKindMismatchError(route.kind);
    if (route.scope && !partner.scopes.includes(route.scope)) {
      throw new PermissionDeniedError(`The token lacks the scope ${route.scope}`);
    }
    return partner;
  }

  private async authenticate(header: string | undefined): Promise<AuthenticatedPartner> {
    const token = bearerTokenOf(header);
    // The checksum refuses typing errors and guesses before they cost a query.
    if (token === null || parsePartnerToken(token) === null) throw new UnauthorizedError();
    const partner = await this.tokens.findAuthenticated(hashPartnerToken(token));
    if (!partner) throw new UnauthorizedError();
    addLogFields({ partnerId: partner.partnerId });
    this.uses.record(partner.tokenId, new Date());
    return partner;
  }

  /** Whatever the answer will be, it tells where the token stands. */
  private async count(
    { tokenId }: AuthenticatedPartner,
    { scope }: PartnerRoute,
    { method }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const policy = policyOf(scope, method);
    const standing = await this.limits.take(tokenId, policy);
    reply.headers(rateLimitHeaders(this.limits.quota(policy), standing));
    if (!standing.allowed) throw new RateLimitedError(policy, standing.resetSeconds);
  }
}
