import type { FastifyRequest } from 'fastify';

/**
 * For a route that takes no body: whatever comes as one is ignored, because without these headers Fastify reads none. Call it before
 * the body is read, as an authenticator is.
 */
export function ignoreBody({ raw }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete raw.headers[name];
}
