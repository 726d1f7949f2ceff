import type { FastifyRequest } from 'fastify';

/**
 * For operations that take no body: whatever comes as one is ignored. Without these headers Fastify looks for none. Call before the
 * body is read, for example in a `RequestAuthenticator`.
 */
export function ignoreBody({ raw }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete raw.headers[name];
}
