import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Lets a stop wait for requests only: not for a connection that would be kept for the next one, and not for one on which nothing was asked
 * yet, which Node takes for one in use. Registers hooks; before the routes.
 *
 * @param limitMs after which a stop waits for nothing any more: a request whose end never comes has no time limit once Node's server closes
 */
export function drainConnections(app: FastifyInstance, limitMs: number): void {
  const sockets = new Set<Socket>();
  let isClosing = false;
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const limit = setTimeout(() => sockets.forEach((socket) => socket.destroy()), limitMs);
    app.server.once('close', () => clearTimeout(limit));
    done();
  });
}
