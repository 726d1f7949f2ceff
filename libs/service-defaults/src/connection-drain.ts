import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Ends the connections of an app that stops, without failing a request. From the beginning of the drain on every answer closes its
 * connection, so that its client opens the next one to another replica.
 */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  private isDraining = false;
  private isClosing = false;

  /** Registers its hooks; before the routes. */
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

  /** @param delayMs how long requests on new connections are still served: until every load balancer knows that the app is not ready */
  async begin(delayMs: number): Promise<void> {
    this.isDraining = true;
    if (delayMs > 0) await delay(delayMs);
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (this.isClosing) this.endUnused(socket);
  }

  /** Node takes a connection on which nothing was asked yet for one in use, and would wait for its request. */
  private endUnused(socket: Socket): void {
    if (socket.bytesRead === 0) socket.destroy();
  }
}
