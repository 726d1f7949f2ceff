import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { UnauthorizedError } from '@tandem/auth';
import { type Access, RateLimitedError } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { type PartnerRequirements, PartnerTokenAuthenticator } from './partner-token.authenticator';
import { PermissionDeniedError } from '../admin/admin.errors';
import type { Act } from '../audit/act';
import type { AuthenticatedPartner } from './token.repository';
import { actorOf } from './token.rules';

/** Grants access to active partners whose kind and token meet the requirements. Without requirements, every active partner is admitted. */
export function partners(requirements: PartnerRequirements = {}): Access {
  const { kind, scope, testOnly } = requirements;
  return {
    by: PartnerTokenAuthenticator,
    options: requirements,
    token: 'partner',
    limited: true,
    ...(scope && {
      description: `For ${kind} partners, with ${testOnly ? 'a test token that has ' : ''}the scope \`${scope}\`.`,
    }),
    extensions: { ...(scope && { 'x-required-scope': scope }), ...(kind && { 'x-integration-kind': kind }) },
    errors: [
      ...(scope ? [new PermissionDeniedError('The token lacks the scope that the operation needs')] : []),
      ...(kind ? [new IntegrationKindMismatchError(kind)] : []),
      ...(testOnly ? [new PermissionDeniedError('The operation is only for test tokens')] : []),
      UnauthorizedError,
      new PermissionDeniedError('The partner account is not active'),
      new RateLimitedError('read', 12),
    ],
  };
}

/** Injects the calling partner. */
export const CurrentPartner = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedPartner => {
  const { partner } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!partner) throw new Error('@CurrentPartner() is used on an endpoint that is not for partners');
  return partner;
});

/**
 * Injects the caller's identity and the request's id, for the audit row. The identity is the portal link of the caller's session or, without
 * a session, the caller's token.
 */
export const CurrentPartnerAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const { partner, id: requestId } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!partner) throw new Error('@CurrentPartnerAct() is used on an endpoint that is not for partners');
  return { actor: actorOf(partner), requestId };
});
