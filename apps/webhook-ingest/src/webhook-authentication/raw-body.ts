import type { FastifyInstance } from 'fastify';

/**
 * Passes bodies to the handlers as raw bytes, because a signature covers the bytes, and nothing is parsed before the signature is verified.
 * This applies to every content type, so that an unsigned request is refused for its missing signature, whatever its content type.
 */
export function keepRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
