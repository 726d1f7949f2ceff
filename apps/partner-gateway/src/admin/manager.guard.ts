import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { PermissionDeniedError } from '../token/token.errors';
import type { Act } from './act';

/** The scope of a service access token that lets its bearer manage partners. */
export const MANAGER_SCOPE = 'partner:manage';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link ManagerGuard}. */
    act?: Act;
  }
}

/** Lets partner managers in: a JWT of the service issuer, the only one that is configured, with the scope `partner:manage`. */
@Injectable()
export class ManagerGuard implements CanActivate {
  constructor(private readonly tokens: AccessTokens) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { subject, scopes } = await this.tokens.authenticate(request.headers.authorization);
    if (!scopes.has(MANAGER_SCOPE)) throw new PermissionDeniedError(`The token lacks the scope ${MANAGER_SCOPE}`);
    addLogFields({ actor: subject });
    request.act = { actor: subject, requestId: request.id };
    return true;
  }
}
