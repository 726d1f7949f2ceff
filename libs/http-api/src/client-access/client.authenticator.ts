import { Inject, Injectable, Optional } from '@nestjs/common';
import { AccessTokens, UnauthorizedError, type VerifiedToken } from '@tandem/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestAuthenticator } from '../authentication/request-authenticator';
import type { Access } from '../endpoint/endpoint';
import { RateLimitedError } from '../errors/rate-limited.errors';
import { addLogFields } from '../http/log-context';
import { TwoFactorAuthRequiredError } from './client-access.errors';
import { type ClientUser, clientUserOf } from './client-user.rules';

/** What an endpoint requires of a user. */
export interface UserRequirements {
  /** Whether the token must state that the user confirmed a second factor that is still valid. Default false. */
  readonly secondFactor?: boolean;
  /** The name of the rate limit against which the request counts. Default: none. */
  readonly limit?: string;
  /** Whether the endpoint is counted on its own. Default false: all endpoints with the same limit are counted together. */
  readonly limitedAlone?: boolean;
}

/** How an app admits users. An app provides these options if any of its endpoints requires a second factor or has a limit. */
export interface ClientAccessOptions {
  /** How long a second factor is valid, seconds. */
  readonly secondFactorSeconds: number;
  /** Counts a request of a caller against a rate limit. @throws RateLimitedError when the limit is reached */
  admit(caller: string, limit: string, reply: FastifyReply): Promise<void>;
}

/** The injection token of {@link ClientAccessOptions}. */
export const CLIENT_ACCESS_OPTIONS = Symbol('CLIENT_ACCESS_OPTIONS');

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who makes the request. Set by {@link ClientAuthenticator}. */
    clientUser?: ClientUser;
  }
}

/**
 * Admits users by their access token. It checks the token, then a required second factor, then the user's limit. In
 * idp-api, the errors of these checks are 401, 400 and 429.
 */
@Injectable()
export class ClientAuthenticator implements RequestAuthenticator<UserRequirements> {
  constructor(
    private readonly tokens: AccessTokens,
    @Optional() @Inject(CLIENT_ACCESS_OPTIONS) private readonly options?: ClientAccessOptions,
  ) {}

  /**
   * Runs synchronously if the token is remembered and the endpoint has no limit, because promises would slow down short
   * requests.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, requirements: UserRequirements): void | Promise<void> {
    const { authorization } = request.headers;
    const known = this.tokens.known(authorization);
    if (known) return this.admit(known, request, reply, requirements);
    return this.tokens.authenticate(authorization).then((token) => this.admit(token, request, reply, requirements));
  }

  private admit(
    token: VerifiedToken,
    request: FastifyRequest,
    reply: FastifyReply,
    { secondFactor = false, limit, limitedAlone = false }: UserRequirements,
  ): void | Promise<void> {
    const user = clientUserOf(token, new Date(), this.options?.secondFactorSeconds ?? 0);
    addLogFields({ krn: user.krn });
    if (secondFactor && !user.secondFactor) throw new TwoFactorAuthRequiredError();
    request.clientUser = user;
    if (limit === undefined) return;
    const endpoint = request.routeOptions.config.authentication?.endpoint;
    return this.options?.admit(limitedAlone ? `${endpoint} ${user.krn}` : user.krn, limit, reply);
  }
}

/** Creates an access that admits the user of an access token (JWT). If the endpoint takes no body, a request's body is ignored. */
export const userAccess = (requirements: UserRequirements & { token: string; description?: string }): Access => {
  const { token, description, ...options } = requirements;
  return {
    by: ClientAuthenticator,
    options,
    token,
    description,
    ignoresBody: true,
    limited: options.limit !== undefined,
    errors: [
      UnauthorizedError,
      ...(options.limit === undefined ? [] : [new RateLimitedError(options.limit, 12)]),
      ...(options.secondFactor ? [TwoFactorAuthRequiredError] : []),
    ],
  };
};
