import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Decides who may call a route: a provider of some module of the app. What it throws is answered as any error. */
export interface RequestAuthenticator<Options = undefined> {
  /**
   * Before the body is read.
   *
   * @param options what the route gave to {@link AuthenticatedBy}
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, options: Options): void | Promise<void>;
  /** When the body was read, before guards, pipes and the handler: for a signature over its bytes. */
  verifyBody?(request: FastifyRequest, options: Options): void | Promise<void>;
}

/** Who decides for a route, and what about. */
export interface RouteAuthentication {
  readonly by: Type<RequestAuthenticator<unknown>>;
  readonly options: unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by {@link AuthenticatedBy}. */
    authentication?: RouteAuthentication;
  }
}

/** Only callers that the authenticator accepts reach the route. It decides before the body is read; a guard would run after it. */
export const AuthenticatedBy = <Options = undefined>(
  by: Type<RequestAuthenticator<Options>>,
  ...[options]: undefined extends Options ? [options?: Options] : [options: Options]
): MethodDecorator => RouteConfig({ authentication: { by, options } });
