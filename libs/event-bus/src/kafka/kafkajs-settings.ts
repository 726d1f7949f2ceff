import { Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import { type ConsumerConfig, type KafkaConfig, logLevel, type LogEntry, type ProducerConfig } from 'kafkajs';
import type { KafkaLogin } from '../bus-options';
import { type Gate, socketFactory } from './kafkajs-sockets';

// The settings of kafkajs 2.2.4. With these settings, the tests of faults lose no acknowledged event, and the apps recover
// from every outage without intervention. `retry` is always set, because with NODE_ENV=test kafkajs has other defaults than in production.

const QUICK_RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000 };
const ENDLESS = Number.MAX_SAFE_INTEGER;

interface ClientOptions {
  clientId: string;
  brokers: readonly string[];
  login?: KafkaLogin;
  gate: Gate;
}

/**
 * Returns the settings of encryption and authentication. With a login, connections use TLS. The brokers' certificates
 * must be signed by the given CA or, if none is given, by a CA that Node trusts.
 */
const secured = ({ username, password, ca }: KafkaLogin): Pick<KafkaConfig, 'ssl' | 'sasl'> => ({
  ssl: ca === undefined ? true : { ca: [ca] },
  sasl: { mechanism: 'scram-sha-512', username, password },
});

const client = ({ clientId, brokers, login, gate }: ClientOptions): KafkaConfig => ({
  clientId,
  brokers: [...brokers],
  ...(login && secured(login)),
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  socketFactory: socketFactory(gate),
  logLevel: logLevel.WARN,
  logCreator: logToNest,
});

/**
 * Returns the settings of a producer's client. Producer and consumer have separate `Kafka` instances, because they
 * retry connections differently. A producer stops connecting after 5 retries, so that the send fails and the relay
 * retries it.
 */
export const producerClient = (options: ClientOptions): KafkaConfig => ({
  ...client(options),
  retry: { ...QUICK_RETRY, retries: 5 },
});

export const PRODUCER: ProducerConfig = {
  allowAutoTopicCreation: false,
  idempotent: false, // an idempotent producer stops working after a broker was killed
  retry: { ...QUICK_RETRY, retries: 0 }, // a retried send over several partitions drops acknowledged messages when a leader moves
};

export const SEND = { acks: -1, timeout: 10_000 };

/**
 * Returns the settings of a consumer's client, which retries without limit: a consumer that ended and restarted would
 * have to wait until its former session had timed out.
 */
export const consumerClient = (options: ClientOptions): KafkaConfig => ({
  ...client(options),
  retry: { ...QUICK_RETRY, retries: ENDLESS },
});

export const consumerConfig = (groupId: string, sessionTimeout = 6_000): ConsumerConfig => ({
  groupId,
  allowAutoTopicCreation: false,
  sessionTimeout, // after a SIGKILL the partitions are not consumed for this long; brokers refuse less than 6 s by default
  rebalanceTimeout: 15_000,
  heartbeatInterval: 400, // a rebalance is noticed within about 0.5 s: see HEARTBEAT_CHECK_MS
  maxWaitTimeInMs: 500, // short, because an idle consumer sends heartbeats only between fetches, and a stop waits for a pending fetch
  retry: { ...QUICK_RETRY, retries: ENDLESS },
});

/**
 * After this time without an error, an outage counts as over. During an outage, kafkajs retries at shorter intervals.
 */
const QUIET_AFTER_MS = 10_000;

const kafkaLogger = new Logger('KafkaClient');
const outage = new OutageLog(kafkaLogger, { failed: 'Kafka is unavailable', recovered: 'Kafka is available again' });
let quiet: NodeJS.Timeout | undefined;

/**
 * Logs each outage of Kafka once per process: a warning with the first report from any client in the process, and a
 * line when there has been no report for 10 s. kafkajs itself reports each retry as an error, several times a second
 * while a broker is down, although the retries succeed when the broker is back. These reports are logged only with the
 * level `debug`.
 */
const logToNest =
  (): ((entry: LogEntry) => void) =>
  ({ namespace, log }) => {
    const { message, error } = log;
    const reason = `${namespace}: ${message}${typeof error === 'string' ? ` (${error})` : ''}`;
    kafkaLogger.debug(reason);
    outage.failed({ reason });
    clearTimeout(quiet);
    quiet = setTimeout(() => outage.succeeded(), QUIET_AFTER_MS).unref();
  };
