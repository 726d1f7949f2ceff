import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

/**
 * Ends all responses of a connection when the connection closes. Node itself ends only the response that is being sent, not the responses to
 * pipelined requests that wait behind it. Without this function, these would never end: the bodies of their requests would stay in the buffer, and
 * their connections to the apps would stay open.
 *
 * Must be called before the routes are registered, because it adds hooks.
 */
export function endPipelinedResponses(app: FastifyInstance): void {
  const unfinished = new WeakMap<Socket, Set<ServerResponse>>();
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const responses = unfinished.get(socket) ?? endWith(socket);
    unfinished.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
    done();
  });
  // Destroys an answer of an app that arrives after the connection has closed, because nothing would read the answer to its end.
  app.addHook('onSend', ({ raw: { socket } }, _reply, payload, done) => {
    if (!socket.destroyed || !(payload instanceof Readable)) return done(null, payload);
    payload.on('error', () => undefined).destroy();
    done(null, '');
  });
}

/**
 * Returns an empty set for responses. When the connection closes, all responses in the set are closed, except the response that Node itself closes.
 */
function endWith(connection: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  connection.once('close', () => {
    // Only the response that is being sent has a socket.
    for (const response of responses) if (response.socket === null) response.destroy().emit('close');
  });
  return responses;
}
