import net from 'node:net';
import tls from 'node:tls';
import { Logger } from '@nestjs/common';
import {
  type ConsumerConfig,
  type ISocketFactory,
  type KafkaConfig,
  logLevel,
  type LogEntry,
  type ProducerConfig,
} from 'kafkajs';

// kafkajs 2.2.4 settings under which no acknowledged event was lost and every outage healed by itself. Each line that
// differs from the default is here for a failure that was seen. `retry` is always given: with NODE_ENV=test kafkajs would use
// other defaults than in production.

/** Longer than any honest wait: rebalance timeout, send timeout. */
const SILENCE_MS = 20_000;

/** Ends kafkajs's endless connection attempts when the app stops. */
export interface Gate {
  closed: boolean;
}

/**
 * kafkajs never closes a connection whose peer has silently gone: it times out on the same socket for ever. This factory
 * destroys a socket that was written to and has heard nothing since; kafkajs then opens a new one.
 */
const socketFactory =
  (gate: Gate): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    // An error that is not retriable is the only way out of kafkajs's retries without end.
    if (gate.closed) throw Object.assign(new Error('the Kafka client is closed'), { retriable: false });
    const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 };
    const socket = ssl
      ? tls.connect({ ...options, ...(net.isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
      : net.connect(options, onConnect);
    destroyWhenSilent(socket, `${host}:${port}`);
    failWhenClosedByPeer(socket, `${host}:${port}`);
    return socket;
  };

/**
 * kafkajs forgets a broker that closes a connection while a fetch waits on it. If a heartbeat is due at that moment, and no other
 * broker is known, its consumer ends with "No broker available" and starts again as a new member: the broker, once it is back,
 * makes it wait until the session of the member that it was has timed out. A socket error leaves the broker known and the
 * consumer the member it is. kafkajs's own listener comes after this one and finds nothing left to reject.
 */
function failWhenClosedByPeer(socket: net.Socket, peer: string): void {
  socket.on('end', () => {
    const closedByUs = socket.writableEnded;
    if (!closedByUs) socket.emit('error', new Error(`${peer} closed the connection`));
  });
}

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
      socket.destroy(new Error(`${peer} gave no answer for ${SILENCE_MS} ms`));
  }, 1_000).unref();
  socket.on('close', () => clearInterval(timer));
}

const QUICK_RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000 };
const ENDLESS = Number.MAX_SAFE_INTEGER;

interface ClientOptions {
  clientId: string;
  brokers: readonly string[];
  gate: Gate;
}

const client = ({ clientId, brokers, gate }: ClientOptions): KafkaConfig => ({
  clientId,
  brokers: [...brokers],
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  socketFactory: socketFactory(gate),
  logLevel: logLevel.WARN,
  logCreator: logToNest,
});

/** Producer and consumer have a `Kafka` instance each, because their connection retries differ. A send fails within ~5 s of an outage. */
export const producerClient = (options: ClientOptions): KafkaConfig => ({
  ...client(options),
  retry: { ...QUICK_RETRY, retries: 5 },
});

export const PRODUCER: ProducerConfig = {
  allowAutoTopicCreation: false,
  idempotent: false, // an idempotent producer is dead after the first broker kill
  retry: { ...QUICK_RETRY, retries: 0 }, // a retried send over several partitions drops acknowledged messages when a leader moves
};

export const SEND = { acks: -1, timeout: 10_000 };

/** Waits for brokers without end: a consumer that crashed and restarted would wait for its own ghost's session. */
export const consumerClient = (options: ClientOptions): KafkaConfig => ({
  ...client(options),
  retry: { ...QUICK_RETRY, retries: ENDLESS },
});

export const consumerConfig = (groupId: string, sessionTimeout = 6_000): ConsumerConfig => ({
  groupId,
  allowAutoTopicCreation: false,
  sessionTimeout, // after a SIGKILL the partitions stand still for this long; brokers allow no less than 6 s by default
  rebalanceTimeout: 15_000,
  heartbeatInterval: 1_000, // a rebalance takes up to this long to be noticed
  maxWaitTimeInMs: 500, // and a disconnect up to this long
  retry: { ...QUICK_RETRY, retries: ENDLESS },
});

const REPEAT_AFTER_MS = 10_000;

/**
 * kafkajs logs each retry as an error, several times a second for as long as a broker is away. They heal by themselves: here
 * they are warnings, and equal ones come once in ten seconds.
 */
const logToNest = (): ((entry: LogEntry) => void) => {
  const logger = new Logger('KafkaClient');
  const loggedAt = new Map<string, number>();
  return ({ namespace, log }) => {
    const { message, error } = log;
    const line = `${namespace}: ${message}${typeof error === 'string' ? ` (${error})` : ''}`;
    const now = Date.now();
    if (now - (loggedAt.get(line) ?? 0) < REPEAT_AFTER_MS) return;
    if (loggedAt.size > 100) loggedAt.clear();
    loggedAt.set(line, now);
    logger.warn(line);
  };
};
