import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Decides who may call an endpoint. The authenticator is a provider of some module of the app. The errors that it throws
 * are answered like those of a handler.
 */
export interface RequestAuthenticator<Options = undefined> {
  /**
   * Runs before the body is read.
   *
   * @param options the `options` of the endpoint's `access`
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, options: Options): void | Promise<void>;
  /** Verifies a signature over the bytes of the body. Runs after the body has been read, before guards, pipes and the handler. */
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
    /** Whether the body of a request is ignored. Set by `@Endpoint()`. */
    ignoresBody?: boolean;
  }
}
