import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Makes a stop wait only for requests: not for idle keep-alive connections, and not for connections that have had no
 * request yet, which Node counts as in use. Registers hooks: call it before the routes.
 *
 * @param limitMs the maximum wait of a stop, needed because an incomplete request has no time limit once Node's server closes
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
