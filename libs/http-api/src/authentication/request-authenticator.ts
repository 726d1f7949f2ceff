import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Decides who may call an endpoint: a provider of some module of the app. Its errors are answered as any other. */
export interface RequestAuthenticator<Options = undefined> {
  /**
   * Runs before the body is read.
   *
   * @param options those of the endpoint's `access`
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, options: Options): void | Promise<void>;
  /** Runs when the body was read, before guards, pipes and the handler: for a signature over its bytes. */
  verifyBody?(request: FastifyRequest, options: Options): void | Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Endpoint()`. */
    authentication?: {
      readonly by: Type<RequestAuthenticator<never>>;
      readonly options: unknown;
      /** The id of the operation. */
      readonly endpoint: string;
    };
    /** Set by `@Endpoint()`: a body is not read. */
    ignoresBody?: boolean;
  }
}
