import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { UnauthorizedError } from '@tandem/auth';
import type { Access } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { PermissionDeniedError } from './admin.errors';
import type { Act } from '../audit/act';
import { MANAGER_SCOPE, ManagerAuthenticator } from './manager.authenticator';

/** Grants access to partner managers only. */
export const MANAGERS: Access = {
  by: ManagerAuthenticator,
  token: 'manager',
  errors: [UnauthorizedError, new PermissionDeniedError(`The token lacks the scope ${MANAGER_SCOPE}`)],
};

/** Injects the manager's identity and the request's id, for the audit row. */
export const CurrentAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const { act } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!act) throw new Error('@CurrentAct() is used on an endpoint that is not for managers');
  return act;
});
