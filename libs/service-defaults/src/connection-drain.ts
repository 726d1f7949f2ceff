import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Closes the connections of a stopping app without failing a request. Once the drain has begun, every answer closes its
 * connection, so that the client's next connection can go to another replica.
 */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  private isDraining = false;
  private isClosing = false;

  /** Registers hooks. Must be called before the routes are created. */
  constructor(fastify: FastifyInstance) {
    fastify.server.on('connection', (socket: Socket) => this.watch(socket));
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.isDraining) reply.header('connection', 'close');
      done(null, payload);
    });
    fastify.addHook('preClose', (done) => {
      this.isClosing = true;
      for (const socket of this.sockets) this.endUnused(socket);
      done();
    });
  }

  /**
   * Begins the drain, and resolves after the delay.
   *
   * @param delayMs how long new connections are still served: until every load balancer has noticed that the app is not ready
   */
  async begin(delayMs: number): Promise<void> {
    this.isDraining = true;
    if (delayMs > 0) await delay(delayMs);
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (this.isClosing) this.endUnused(socket);
  }

  /** Ends a connection on which no byte has arrived yet. Node treats such a connection as in use, and would wait for a request. */
  private endUnused(socket: Socket): void {
    if (socket.bytesRead === 0) socket.destroy();
  }
}
