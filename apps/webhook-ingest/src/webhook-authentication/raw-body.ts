import type { FastifyInstance } from 'fastify';

/**
 * Bodies reach the handlers as the bytes that came: a signature is over bytes, and nothing is parsed before it is checked.
 * Whatever the content type, so that the error of an unsigned request says that it is unsigned.
 */
export function keepRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
