import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Makes a stop wait only for requests of which something has arrived. Connections that have sent nothing yet, for which Node would wait,
 * are closed, and each answer during the stop closes its connection. Must be called before the routes are registered, because it adds hooks.
 *
 * @param limitMs after this time, all connections are closed. Node's server has no time limit for incomplete requests while it closes
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
