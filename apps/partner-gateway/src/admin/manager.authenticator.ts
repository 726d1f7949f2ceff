import { Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields, type RequestAuthenticator } from '@tandem/http-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PermissionDeniedError } from './admin.errors';
import type { Act } from '../audit/act';

/** The scope that a service access token needs for managing partners. */
export const MANAGER_SCOPE = 'partner:manage';

declare module 'fastify' {
  interface FastifyRequest {
    /** The manager who makes the request, and the request's id. Set by {@link ManagerAuthenticator}. */
    act?: Act;
  }
}

/**
 * Admits partner managers. A manager presents a JWT with the scope `partner:manage` from the service issuer, which is the only issuer that
 * this app is configured with.
 */
@Injectable()
export class ManagerAuthenticator implements RequestAuthenticator {
  constructor(private readonly tokens: AccessTokens) {}

  async authenticate(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
    const { subject, scopes } = await this.tokens.authenticate(request.headers.authorization);
    if (!scopes.has(MANAGER_SCOPE)) throw new PermissionDeniedError(`The token lacks the scope ${MANAGER_SCOPE}`);
    addLogFields({ actor: subject });
    request.act = { actor: subject, requestId: request.id };
  }
}
