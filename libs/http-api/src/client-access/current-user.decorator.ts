import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ClientUser } from './client-user.rules';

/** Injects the user who makes the request, on an endpoint with {@link userAccess}. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): ClientUser => {
  const { clientUser } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!clientUser) throw new Error('@CurrentUser() is used on an endpoint without userAccess');
  return clientUser;
});
