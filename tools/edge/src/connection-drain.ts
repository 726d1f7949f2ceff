import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * On shutdown, waits only for requests that have begun to arrive. Closes the connections on which nothing has arrived yet; Node would wait for these
 * too. Each answer during the shutdown closes its connection. Must be called before the routes are registered, because it adds hooks.
 *
 * @param limitMs all connections are closed after this time, because Node does not limit the time of incomplete requests while its server
 *   closes
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
