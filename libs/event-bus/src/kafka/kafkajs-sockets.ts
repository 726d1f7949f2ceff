import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/**
 * A socket on which a request has had no answer for this long is destroyed. The time is longer than any regular wait
 * for an answer, such as the rebalance timeout (15 s) or the send timeout (10 s).
 */
const SILENCE_MS = 20_000;
/** A response starts with its length, an int32. */
const LENGTH_BYTES = 4;

/** Open while the app runs. When the app stops, it closes the gate, which ends kafkajs's otherwise endless attempts to connect. */
export interface Gate {
  closed: boolean;
}

/**
 * Creates sockets for kafkajs 2.2.4. The sockets handle three failures from which kafkajs does not recover by itself: the
 * broker vanishes, closes the connection, or sends only part of a response.
 */
export const socketFactory =
  (gate: Gate): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    // A non-retriable error is the only way out of kafkajs's endless retries.
    if (gate.closed) throw Object.assign(new Error('the Kafka client is closed'), { retriable: false });
    const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 };
    const socket = ssl
      ? tls.connect({ ...options, ...(net.isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
      : net.connect(options, onConnect);
    destroyWhenSilent(socket, `${host}:${port}`);
    failWhenClosedByPeer(socket, `${host}:${port}`);
    handOverWholeResponses(socket);
    return socket;
  };

/**
 * Emits a socket error when the broker closes the connection. After this error, kafkajs keeps the broker, and the
 * consumer stays the same member of its group. Without the error, kafkajs forgets a broker that closes a connection
 * while a fetch is pending. If a heartbeat is then due and no other broker is known, the consumer fails with "No broker
 * available", and restarts as a new member. The new member must wait until the session of the previous one has timed
 * out. kafkajs's own listener runs after this listener, and finds no requests left to reject.
 */
function failWhenClosedByPeer(socket: net.Socket, peer: string): void {
  socket.on('end', () => {
    const closedByUs = socket.writableEnded;
    if (!closedByUs) socket.emit('error', new Error(`${peer} closed the connection`));
  });
}

/**
 * Makes the socket emit only whole responses. If kafkajs received part of a response before a connection ended, it
 * would keep this part, and treat the data of the next connection as the end of this response. From then on, it would
 * decode every response wrongly, and each request would time out.
 */
function handOverWholeResponses(socket: net.Socket): void {
  const on = socket.on.bind(socket) as (event: string, listener: (data: Buffer) => void) => net.Socket;
  socket.on = ((event: string, listener: (data: Buffer) => void) =>
    on(event, event === 'data' ? wholeResponses(listener) : listener)) as typeof socket.on;
}

/**
 * @returns a stream listener that calls `take` with one or more whole responses. A response is a length, in four bytes,
 *   and then this number of bytes
 */
export function wholeResponses(take: (responses: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    buffered += chunk.length;
    if (buffered < needed) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, buffered);
    let end = 0;
    for (needed = sizeAt(bytes, end); end + needed <= bytes.length; needed = sizeAt(bytes, end)) end += needed;
    chunks = end < bytes.length ? [bytes.subarray(end)] : [];
    buffered = bytes.length - end;
    if (end > 0) take(bytes.subarray(0, end));
  };
}

/**
 * Returns the size in bytes of the response at `start`, including its length field; 4 while the length field is
 * incomplete.
 */
const sizeAt = (bytes: Buffer, start: number): number =>
  LENGTH_BYTES + (start + LENGTH_BYTES <= bytes.length ? Math.max(0, bytes.readInt32BE(start)) : 0);

/**
 * Destroys a socket on which a request has had no answer for `SILENCE_MS`; kafkajs then opens a new socket. By itself,
 * kafkajs would keep a socket whose broker has vanished without notice, and every further request on the socket would
 * time out.
 */
function destroyWhenSilent(socket: net.Socket, peer: string): void {
  // Measured by `performance.now()`: if the clock of the host is changed, a dead socket must not stay open, and live sockets must
  // not be destroyed.
  let unansweredSince: number | undefined;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = ((...args: unknown[]) => {
    unansweredSince ??= performance.now();
    return write(...args);
  }) as typeof socket.write;
  socket.on('data', () => {
    unansweredSince = undefined;
  });
  const timer = setInterval(() => {
    if (unansweredSince !== undefined && performance.now() - unansweredSince > SILENCE_MS)
      socket.destroy(new Error(`${peer} did not answer within ${SILENCE_MS} ms`));
  }, 1_000).unref();
  socket.on('close', () => clearInterval(timer));
}
