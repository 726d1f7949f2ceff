import type { FastifyInstance } from 'fastify';

/** Matches the beginning of a valid content type (RFC 9110, section 8.3). */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/**
 * Passes bodies to the handlers as raw bytes. The signature covers the bytes, and nothing may be parsed before the signature is verified.
 * Bodies of every content type are passed as bytes, so that a request with an invalid signature gets 401, and never 415. Fastify itself
 * answers 415 to a content type that is not valid, before the signature is verified. Such a content type is therefore replaced by a valid
 * content type, which is refused later, after the signature was verified.
 */
export function keepRawBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async ({ headers }) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
