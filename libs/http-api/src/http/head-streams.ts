import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Ends the stream of an answer to HEAD before the first chunk. Fastify would read the whole stream and discard it, so a HEAD request would
 * cost as much as a complete export, even after its caller has left.
 */
export function skipStreamsOfHead(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload: unknown, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload);
    // The destroyed stream is passed on: Fastify would send the length of any text as the length that GET has.
    payload.destroy();
    return done(null, payload);
  });
}
