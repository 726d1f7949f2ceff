import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { hashPartnerToken, parsePartnerToken, type PartnerScope } from '@tandem/auth';
import { addLogFields } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import type { PartnerKind } from '../partner/partner.entity';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { bearerTokenOf } from './bearer.rules';
import { PermissionDeniedError, UnauthorizedError } from './token.errors';
import { TokenUseRecorder } from './token-use.recorder';
import { type AuthenticatedPartner, TokenRepository } from './token.repository';

/** What a partner route asks of its caller. */
export interface PartnerRoute {
  readonly kind: PartnerKind;
  readonly scope: PartnerScope;
}

export const PARTNER_ROUTE = 'partner-route';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link PartnerTokenGuard}. */
    partner?: AuthenticatedPartner;
  }
}

/** Lets partners in by their token: first who it is (401), then whether the account may (403), then whether the token may. */
@Injectable()
export class PartnerTokenGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenRepository,
    private readonly uses: TokenUseRecorder,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.reflector.get<PartnerRoute>(PARTNER_ROUTE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const partner = await this.authenticate(request.headers.authorization);
    if (!partner.active) throw new PermissionDeniedError('The partner account is not active');
    if (partner.kind !== route.kind) throw new IntegrationKindMismatchError(route.kind);
    if (!partner.scopes.includes(route.scope)) {
      throw new PermissionDeniedError(`The token lacks the scope ${route.scope}`);
    }
    request.partner = partner;
    return true;
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
}
