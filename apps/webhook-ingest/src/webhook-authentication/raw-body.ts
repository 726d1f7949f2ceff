import type { FastifyInstance } from 'fastify';

/**
 * Passes bodies to the handlers as raw bytes. The signature covers the bytes, and nothing may be parsed before the signature is verified.
 * This applies to every content type, so that a request with an invalid signature gets 401, and never 415.
 */
export function keepRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
