import { Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields, type RequestAuthenticator } from '@tandem/http-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PermissionDeniedError } from './admin.errors';
import type { Act } from '../audit/act';

/** The scope of a service access token that lets its bearer manage partners. */
export const MANAGER_SCOPE = 'partner:manage';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link ManagerAuthenticator}. */
    act?: Act;
  }
}

/** Admits partner managers: they present a JWT of the service issuer (the only issuer that is configured) with the scope `partner:manage`. */
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
