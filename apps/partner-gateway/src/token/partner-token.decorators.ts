import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { AuthenticatedBy } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { type PartnerRoute, PartnerTokenAuthenticator } from './partner-token.authenticator';
import type { AuthenticatedPartner } from './token.repository';

/** The route is for partners of one integration kind whose token has the scope; without a route, for any partner by any of its tokens. */
export const PartnerAccess = (partnerRoute: PartnerRoute = {}) =>
  applyDecorators(
    AuthenticatedBy(PartnerTokenAuthenticator, partnerRoute),
    ApiBearerAuth('partner'),
    ...(partnerRoute.scope ? [ApiExtension('x-required-scope', partnerRoute.scope)] : []),
    ...(partnerRoute.kind ? [ApiExtension('x-integration-kind', partnerRoute.kind)] : []),
  );

/** The calling partner. */
export const CurrentPartner = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedPartner => {
  const { partner } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!partner) throw new Error('@CurrentPartner() is used on a route without @PartnerAccess()');
  return partner;
});
