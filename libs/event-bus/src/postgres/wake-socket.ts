import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { hostname } from 'node:os';

const LOOPBACK = '127.0.0.1';

/**
 * Wakes other processes of this machine by datagrams on loopback: one system call here, one wake-up there, none elsewhere. A
 * datagram is only a hint, which any local program can send and the system may drop: receivers then read the bus, which they
 * also do at each heartbeat.
 */
export class WakeSocket {
  /** Ports belong to one machine; containers have host names and loopback networks of their own. */
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

/** @throws when no port is free, or the system has no loopback network */
async function bind(onMessage: (text: string) => void): Promise<Socket> {
  const socket = createSocket('udp4', (message) => onMessage(message.toString('latin1')));
  // The socket does not keep the process alive.
  socket.unref();
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  return socket;
}
