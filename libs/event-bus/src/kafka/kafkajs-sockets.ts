import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/**
 * A socket that has received no answer for this long is destroyed. The time is longer than any regular wait, such as the rebalance
 * timeout or the send timeout.
 */
const SILENCE_MS = 20_000;
/** A response starts with its length, an int32. */
const LENGTH_BYTES = 4;

/** Ends kafkajs's endless connection attempts when the app stops. */
export interface Gate {
  closed: boolean;
}

/** Sockets for kafkajs 2.2.4, which does not recover by itself from every way in which a connection can end. */
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
 * kafkajs forgets a broker that closes a connection while a fetch waits on it. If a heartbeat is due at that moment and
 * no other broker is known, its consumer ends with "No broker available" and restarts as a new member, which the
 * recovered broker makes wait until the former member's session has timed out. This function therefore emits a socket
 * error, after which the broker stays known and the consumer stays the same member. kafkajs's own listener runs after
 * this one and finds nothing left to reject.
 */
function failWhenClosedByPeer(socket: net.Socket, peer: string): void {
  socket.on('end', () => {
    const closedByUs = socket.writableEnded;
    if (!closedByUs) socket.emit('error', new Error(`${peer} closed the connection`));
  });
}

/**
 * kafkajs keeps the start of a response when its connection ends, and parses the data of the next connection as the rest of
 * it: from then on every response is garbage, and each request times out. This socket therefore emits only whole responses.
 */
function handOverWholeResponses(socket: net.Socket): void {
  const on = socket.on.bind(socket) as (event: string, listener: (data: Buffer) => void) => net.Socket;
  socket.on = ((event: string, listener: (data: Buffer) => void) =>
    on(event, event === 'data' ? wholeResponses(listener) : listener)) as typeof socket.on;
}

/** @returns a stream listener that calls `take` with one or more whole responses: four bytes of length, and as many bytes */
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

/** Size in bytes of the response at `start`, its length field included; 4 while that field is incomplete. */
const sizeAt = (bytes: Buffer, start: number): number =>
  LENGTH_BYTES + (start + LENGTH_BYTES <= bytes.length ? Math.max(0, bytes.readInt32BE(start)) : 0);

/**
 * kafkajs never closes a connection whose peer has silently vanished: requests time out on the same socket forever. A socket that
 * was written to and has received nothing since is destroyed; kafkajs then opens a new one.
 */
function destroyWhenSilent(socket: net.Socket, peer: string): void {
  let unansweredSince: number | undefined;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = ((...args: unknown[]) => {
    unansweredSince ??= Date.now();
    return write(...args);
  }) as typeof socket.write;
  socket.on('data', () => {
    unansweredSince = undefined;
  });
  const timer = setInterval(() => {
    if (unansweredSince !== undefined && Date.now() - unansweredSince > SILENCE_MS)
      socket.destroy(new Error(`${peer} did not answer within ${SILENCE_MS} ms`));
  }, 1_000).unref();
  socket.on('close', () => clearInterval(timer));
}
