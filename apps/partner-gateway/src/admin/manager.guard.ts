import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { bearerTokenOf, InvalidTokenError, JwtVerifier, type VerifiedToken } from '@tandem/auth';
import { addLogFields } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import { PermissionDeniedError, UnauthorizedError } from '../token/token.errors';
import type { Act } from './act';

/** The scope of a service access token that lets its bearer manage partners. */
export const MANAGER_SCOPE = 'partner:manage';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link ManagerGuard}. */
    act?: Act;
  }
}

/** Lets partner managers in: a JWT of the service issuer with the scope `partner:manage`. */
@Injectable()
export class ManagerGuard implements CanActivate {
  private readonly logger = new Logger(ManagerGuard.name);

  constructor(private readonly tokens: JwtVerifier) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const text = bearerTokenOf(request.headers.authorization);
    if (text === null) throw new UnauthorizedError();
    const token = await this.verify(text);
    // The OpenID issuer's tokens are for users; their scopes say nothing about partners.
    if (token.family !== 'service') throw new UnauthorizedError();
    if (!token.scopes.has(MANAGER_SCOPE)) throw new PermissionDeniedError(`The token lacks the scope ${MANAGER_SCOPE}`);
    addLogFields({ actor: token.subject });
    request.act = { actor: token.subject, requestId: request.id };
    return true;
  }

  /** Why a token is no good is for the log: to the outside all reasons look the same. */
  private async verify(text: string): Promise<VerifiedToken> {
    try {
      return await this.tokens.verify(text);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      this.logger.log({ msg: 'a manager token was refused', reason: error.message });
      throw new UnauthorizedError();
    }
  }
}
