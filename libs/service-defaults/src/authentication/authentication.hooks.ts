import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { RequestAuthenticator, RouteAuthentication } from './authenticated-by';

/** Asks the authenticators of the routes that have one. Hooks and not guards, which would run after the body was read. */
@Injectable()
export class AuthenticationHooks implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request, reply) => {
      const { authentication } = request.routeOptions.config;
      if (authentication)
        await this.authenticatorOf(authentication).authenticate(request, reply, authentication.options);
    });
    fastify.addHook('preHandler', async (request) => {
      const { authentication } = request.routeOptions.config;
      if (authentication) await this.authenticatorOf(authentication).verifyBody?.(request, authentication.options);
    });
  }

  /** @throws Error when no module provides the authenticator: the route is closed then */
  private authenticatorOf({ by }: RouteAuthentication): RequestAuthenticator<unknown> {
    return this.modules.get(by, { strict: false });
  }
}
