import type { FastifyRequest } from 'fastify';

/**
 * For a route that takes no body: any body is ignored, because Fastify does not read one without these headers. Call it before
 * the body is read, for example in an authenticator.
 */
export function ignoreBody({ raw }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete raw.headers[name];
}
