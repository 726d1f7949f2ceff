import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ignoreBody } from '../http/ignore-body';
import type { RequestAuthenticator } from './request-authenticator';

type Authenticator = RequestAuthenticator<unknown>;

/**
 * Calls the authenticators of endpoints. Uses hooks of Fastify and not guards, because guards run after the body has
 * been read.
 */
@Injectable()
export class AuthenticationHooks implements OnModuleInit {
  private readonly authenticators = new Map<unknown, Authenticator>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.config.ignoresBody) ignoreBody(request);
      this.decide(request, done, (by, options) => by.authenticate(request, reply, options));
    });
    fastify.addHook('preHandler', (request, _reply, done) =>
      this.decide(request, done, (by, options) => by.verifyBody?.(request, options)),
    );
  }

  /**
   * Asks the authenticator of the route, and then calls `done`. If there is nothing to wait for, `done` is called
   * synchronously, because async hooks would slow down short requests.
   */
  private decide(
    { routeOptions }: FastifyRequest,
    done: HookHandlerDoneFunction,
    ask: (by: Authenticator, options: unknown) => void | Promise<void>,
  ): void {
    const { authentication } = routeOptions.config;
    if (!authentication) return done();
    let decision: void | Promise<void>;
    try {
      decision = ask(this.authenticatorOf(authentication.by), authentication.options);
    } catch (error) {
      return done(error as Error);
    }
    if (decision) decision.then(() => done(), done);
    else done();
  }

  /** @throws Error when no module provides the authenticator: the route then answers every request with 500 */
  private authenticatorOf(by: Type): Authenticator {
    const known = this.authenticators.get(by);
    if (known) return known;
    const authenticator = this.modules.get<Authenticator>(by, { strict: false });
    this.authenticators.set(by, authenticator);
    return authenticator;
  }
}
