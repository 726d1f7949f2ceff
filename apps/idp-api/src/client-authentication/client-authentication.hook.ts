import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InvalidTokenError, JwtVerifier } from '@tandem/auth';
import { addLogFields } from '@tandem/service-defaults';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerTokenOf } from './bearer.rules';
import { RateLimitedError, TwoFactorAuthRequiredError, UnauthorizedError } from './client-authentication.errors';
import { type ClientUser, clientUserOf } from './client-user.rules';
import { type ClientLimit, RateLimits } from './rate-limits';

/** What a client operation asks of its caller, and whether it looks at a body. */
export interface ClientRoute {
  readonly id: string;
  readonly secondFactor: boolean;
  readonly limit: ClientLimit;
  readonly takesBody: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@ClientOperation()`. */
    clientRoute?: ClientRoute;
  }
  interface FastifyRequest {
    /** Set by {@link ClientAuthenticationHook}. */
    clientUser?: ClientUser;
  }
}

/**
 * Lets users in by their access token, before a body is read: who it is (401), whether a second factor is needed (400), whether
 * the user's limit has room (429).
 */
@Injectable()
export class ClientAuthenticationHook implements OnModuleInit {
  private readonly logger = new Logger(ClientAuthenticationHook.name);

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly tokens: JwtVerifier,
    private readonly limits: RateLimits,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request) => {
      const { clientRoute } = request.routeOptions.config;
      if (!clientRoute) return;
      request.clientUser = await this.admit(clientRoute, request.headers.authorization);
      if (!clientRoute.takesBody) ignoreBody(request);
    });
  }

  private async admit(route: ClientRoute, header: string | undefined): Promise<ClientUser> {
    const user = await this.authenticate(header);
    addLogFields({ krn: user.krn });
    if (route.secondFactor && !user.secondFactor) throw new TwoFactorAuthRequiredError();
    const key = route.limit === 'onboarding' ? `${route.id} ${user.krn}` : user.krn;
    const standing = await this.limits.take(key, route.limit);
    if (!standing.allowed) throw new RateLimitedError(standing.resetSeconds);
    return user;
  }

  private async authenticate(header: string | undefined): Promise<ClientUser> {
    const text = bearerTokenOf(header);
    if (text === null) throw new UnauthorizedError();
    try {
      const user = clientUserOf(await this.tokens.verify(text), new Date());
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
