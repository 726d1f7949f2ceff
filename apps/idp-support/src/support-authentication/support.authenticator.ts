import { Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields, type RequestAuthenticator } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import type { Act } from './act';
import { REASON_HEADER, reasonOf } from './reason.rules';
import { PermissionDeniedError } from './support-authentication.errors';

/** The scope of the service access tokens of support staff. */
export const SUPPORT_SCOPE = 'support';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts in this request, and why. {@link SupportAuthenticator} sets this field. */
    act?: Act;
  }
}

/**
 * Admits support staff before the body is read. A request needs a JWT of the service issuer (otherwise it gets 401) with the scope
 * `support` (otherwise it gets 403). Only the service issuer is configured, so a token of the OpenID issuer gets 401 too.
 */
@Injectable()
export class SupportAuthenticator implements RequestAuthenticator {
  constructor(private readonly tokens: AccessTokens) {}

  async authenticate(request: FastifyRequest): Promise<void> {
    const { subject, scopes } = await this.tokens.authenticate(request.headers.authorization);
    addLogFields({ actor: subject });
    if (!scopes.has(SUPPORT_SCOPE)) throw new PermissionDeniedError();
    request.act = { actor: subject, requestId: request.id, reason: reasonOf(request.headers[REASON_HEADER]) };
  }
}
