import { Injectable } from '@nestjs/common';
import { bearerTokenOf, UnauthorizedError } from '@tandem/auth';
import type { RequestAuthenticator } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { isPortalCode } from './portal-link.rules';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the portal link that the request presents. Set by {@link PortalCodeAuthenticator}. */
    portalCode?: string;
  }
}

/**
 * Admits every request whose bearer token has the form of a portal code. Whether the code is valid is checked later, when it is exchanged
 * for a session.
 */
@Injectable()
export class PortalCodeAuthenticator implements RequestAuthenticator {
  async authenticate(request: FastifyRequest): Promise<void> {
    const code = bearerTokenOf(request.headers.authorization);
    if (code === null || !isPortalCode(code)) throw new UnauthorizedError();
    request.portalCode = code;
  }
}
