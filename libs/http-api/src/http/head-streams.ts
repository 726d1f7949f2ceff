import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Ends the stream of an answer to HEAD before the first chunk. Fastify would read the whole stream and discard it, so a HEAD request would
 * cost as much as a complete export, even after the caller has disconnected.
 */
export function skipStreamsOfHead(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload: unknown, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload);
    // The payload stays a stream, which is destroyed. For a text, Fastify would send the length of the text as the
    // Content-Length, but this header must have the length of the answer to GET.
    payload.destroy();
    return done(null, payload);
  });
}
