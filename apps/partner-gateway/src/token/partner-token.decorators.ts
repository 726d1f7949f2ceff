import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { RouteConfig } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import type { PartnerRoute } from './partner-token.hook';
import type { AuthenticatedPartner } from './token.repository';

/** The route is for partners of one integration kind whose token has the scope; without a route, for any partner by any of its tokens. */
export const PartnerAccess = (partnerRoute: PartnerRoute = {}) =>
  applyDecorators(
    RouteConfig({ partnerRoute }),
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
