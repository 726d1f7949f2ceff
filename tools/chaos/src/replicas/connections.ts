import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Listens on the loopback interface.
 * @param port the port; 0 takes a free one
 * @returns the server and its port
 */
export async function listen(
  port: number,
  accept: (client: Socket) => void,
): Promise<{ server: Server; port: number }> {
  // With allowHalfOpen, a connection stays open in one direction after it has ended in the other direction, as a direct
  // connection does.
  const server = createServer({ allowHalfOpen: true }, accept);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Connects to the first of the ports that accepts the connection. @throws the last refusal when none accepts it */
export async function connectToFirst(ports: readonly number[]): Promise<Socket> {
  let refusal: unknown = new Error('there is nothing to connect to');
  for (const port of ports) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

/**
 * Joins two connections: passes the data of each side on to the other side, and then the end of the data. When one
 * connection fails or closes, the other one is closed too.
 */
export function join(client: Socket, upstream: Socket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    from.once('error', () => to.destroy());
    from.once('close', () => to.destroySoon());
  }
}
