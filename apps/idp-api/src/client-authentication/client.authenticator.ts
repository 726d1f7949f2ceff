import { Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields, ignoreBody, type RequestAuthenticator } from '@tandem/http-api';
import { RateLimits } from '@tandem/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdpApiConfig } from '../config';
import { TwoFactorAuthRequiredError } from './client-authentication.errors';
import type { ClientLimit } from './client-limits.rules';
import { type ClientUser, clientUserOf } from './client-user.rules';

/** What a client operation asks of its caller, and whether it looks at a body. */
export interface ClientRoute {
  readonly id: string;
  readonly secondFactor: boolean;
  readonly limit: ClientLimit;
  readonly takesBody: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link ClientAuthenticator}. */
    clientUser?: ClientUser;
  }
}

/**
 * Lets users in by their access token, before a body is read: who it is (401), whether a second factor is needed (400), whether
 * the user's limit has room (429).
 */
@Injectable()
export class ClientAuthenticator implements RequestAuthenticator<ClientRoute> {
  constructor(
    private readonly config: IdpApiConfig,
    private readonly tokens: AccessTokens,
    private readonly limits: RateLimits<ClientLimit>,
  ) {}

  async authenticate(request: FastifyRequest, reply: FastifyReply, route: ClientRoute): Promise<void> {
    const token = await this.tokens.authenticate(request.headers.authorization);
    const user = clientUserOf(token, new Date(), this.config.SECOND_FACTOR_MAX_AGE_SECONDS);
    addLogFields({ krn: user.krn });
    if (route.secondFactor && !user.secondFactor) throw new TwoFactorAuthRequiredError();
    const caller = route.limit === 'onboarding' ? `${route.id} ${user.krn}` : user.krn;
    await this.limits.admit(caller, route.limit, reply);
    if (!route.takesBody) ignoreBody(request);
    request.clientUser = user;
  }
}
