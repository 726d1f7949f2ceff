import { Injectable, Logger } from '@nestjs/common';
import { bearerTokenOf, InvalidTokenError, JwtVerifier, type VerifiedToken } from '@tandem/auth';
import { addLogFields, ignoreBody, type RequestAuthenticator } from '@tandem/service-defaults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Act } from './act';
import { REASON_HEADER, reasonOf } from './reason.rules';
import { PermissionDeniedError, UnauthorizedError } from './support-authentication.errors';

/** The scope of a service access token that lets its bearer act as support. */
export const SUPPORT_SCOPE = 'support';

export interface SupportRoute {
  readonly takesBody: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link SupportAuthenticator}. */
    act?: Act;
  }
}

/** Lets support in, before a body is read: a JWT of the service issuer (401) with the scope `support` (403). */
@Injectable()
export class SupportAuthenticator implements RequestAuthenticator<SupportRoute> {
  private readonly logger = new Logger(SupportAuthenticator.name);

  constructor(private readonly tokens: JwtVerifier) {}

  async authenticate(request: FastifyRequest, _reply: FastifyReply, { takesBody }: SupportRoute): Promise<void> {
    const { subject, scopes } = await this.verify(bearerTokenOf(request.headers.authorization));
    addLogFields({ actor: subject });
    if (!scopes.has(SUPPORT_SCOPE)) throw new PermissionDeniedError();
    request.act = { actor: subject, requestId: request.id, reason: reasonOf(request.headers[REASON_HEADER]) };
    if (!takesBody) ignoreBody(request);
  }

  /** Why a token is no good is for the log. Only the service issuer is configured: tokens of another family are of a stranger. */
  private async verify(text: string | null): Promise<VerifiedToken> {
    if (text === null) throw new UnauthorizedError();
    try {
      return await this.tokens.verify(text);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      this.logger.log({ msg: 'a support token was refused', reason: error.message });
      throw new UnauthorizedError();
    }
  }
}
