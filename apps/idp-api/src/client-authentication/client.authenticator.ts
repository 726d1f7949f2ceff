import { Injectable, Logger } from '@nestjs/common';
import { bearerTokenOf, InvalidTokenError } from '@tandem/auth';
import { addLogFields, RateLimits, type RequestAuthenticator } from '@tandem/service-defaults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdpApiConfig } from '../config';
import { TwoFactorAuthRequiredError, UnauthorizedError } from './client-authentication.errors';
import type { ClientLimit } from './client-limits.rules';
import { type ClientUser, clientUserOf } from './client-user.rules';
import { VerifiedTokens } from './verified-tokens';

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
  private readonly logger = new Logger(ClientAuthenticator.name);

  constructor(
    private readonly config: IdpApiConfig,
    private readonly tokens: VerifiedTokens,
    private readonly limits: RateLimits<ClientLimit>,
  ) {}

  async authenticate(request: FastifyRequest, reply: FastifyReply, route: ClientRoute): Promise<void> {
    const user = await this.userOf(request.headers.authorization);
    addLogFields({ krn: user.krn });
    if (route.secondFactor && !user.secondFactor) throw new TwoFactorAuthRequiredError();
    const caller = route.limit === 'onboarding' ? `${route.id} ${user.krn}` : user.krn;
    await this.limits.admit(caller, route.limit, reply);
    if (!route.takesBody) ignoreBody(request);
    request.clientUser = user;
  }

  private async userOf(header: string | undefined): Promise<ClientUser> {
    const text = bearerTokenOf(header);
    if (text === null) throw new UnauthorizedError();
    try {
      const user = clientUserOf(await this.tokens.verify(text), new Date(), this.config.SECOND_FACTOR_MAX_AGE_SECONDS);
      if (!user) throw new InvalidTokenError('The subject is no KRN of a user');
      return user;
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      this.logger.log({ msg: 'an access token was refused', reason: error.message });
      throw new UnauthorizedError();
    }
  }
}

/** Where no body is taken, whatever comes as one is ignored: without these headers Fastify looks for none. */
function ignoreBody({ raw }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete raw.headers[name];
}
