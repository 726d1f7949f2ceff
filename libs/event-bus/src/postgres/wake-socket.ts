import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { hostname } from 'node:os';

const LOOPBACK = '127.0.0.1';

/**
 * Wakes other processes of this machine by datagrams on loopback. A datagram costs its sender one system call and wakes
 * only its receiver. A datagram is only a hint that makes the receiver read the bus, because any local program can send
 * datagrams, and the system may drop them. If a datagram is lost, the receiver learns of new events at its next
 * heartbeat.
 */
export class WakeSocket {
  /** Names the machine to which a port belongs. Each container has its own host name and its own loopback network. */
  readonly host = hostname();
  onMessage: (text: string) => void = () => undefined;
  private socket?: Promise<Socket>;

  /** @returns the port at which this process can be woken; null when none is available */
  async port(): Promise<number | null> {
    try {
      return (await this.open()).address().port;
    } catch {
      return null;
    }
  }

  /** Sends a hint; failing to send it is not an error. */
  send(port: number, text: string): void {
    this.open().then(
      (socket) => socket.send(text, port, LOOPBACK, () => undefined),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    const opened = this.socket;
    this.socket = undefined;
    await opened?.then(
      (socket) => socket.close(),
      () => undefined,
    );
  }

  private open(): Promise<Socket> {
    this.socket ??= bind((text) => this.onMessage(text)).catch((error: unknown) => {
      this.socket = undefined;
      throw error;
    });
    return this.socket;
  }
}

/** Opens a UDP socket on a free port. @throws when no port is free, or the system has no loopback network */
async function bind(onMessage: (text: string) => void): Promise<Socket> {
  const socket = createSocket('udp4', (message) => onMessage(message.toString('latin1')));
  // The socket does not keep the process alive.
  socket.unref();
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  return socket;
}
