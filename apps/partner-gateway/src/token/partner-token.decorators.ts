import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { PARTNER_ROUTE, type PartnerRoute, PartnerTokenGuard } from './partner-token.guard';
import type { AuthenticatedPartner } from './token.repository';

/** The route is for partners of one integration kind whose token has the scope. */
export const PartnerAccess = (route: PartnerRoute) =>
  applyDecorators(SetMetadata(PARTNER_ROUTE, route), UseGuards(PartnerTokenGuard), ApiBearerAuth('partner'));

/** The calling partner. */
export const CurrentPartner = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedPartner => {
  const { partner } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!partner) throw new Error('@CurrentPartner() is used on a route without @PartnerAccess()');
  return partner;
});
