import { TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { EVENTS_MISSED } from './metrics';
import {
  type BusKind,
  type BusOptions,
  EventsConfigurationError,
  type KafkaLogin,
  type KafkaLoginSettings,
} from '@tandem/event-bus';

/** Tuning of one app's events. Durations are in ms, except the retentions, which are in days. */
export interface EventsTuning {
  /**
   * Maximum concurrent transactions of one topic's handler in one process. Events that are handled again after a
   * failure have another limit of this size. Keep the sum of both limits, added up over all handlers, below the size of
   * the app's pool, because handlers share the pool with requests.
   */
  concurrency: number;
  /**
   * Maximum events per transaction. The events that one partition delivers together, up to 200, are not divided to meet
   * this limit.
   */
  batchMax: number;
  /** Attempts at an event that is handled alone, before the event becomes a dead letter. */
  handlerAttempts: number;
  handlerBackoffMs: number;
  handlerBackoffMaxMs: number;
  /** Maximum rows of each topic that the relay reads at a time. */
  relayBatch: number;
  /** How often the relay polls the outbox when nothing wakes it: polling finds rows that a killed process left. At most 9 s. */
  relayIdleMs: number;
  /** How often a replica that does not lead the relay tries to become the relay's leader. At most 9 s. */
  relayStandbyMs: number;
  /** How often the app polls for requested replays while there are none. */
  replayPollMs: number;
  /** How often the leader reads the measures, such as dead letters and lag. */
  measureEveryMs: number;
  /** How often rows past their retention are deleted, ±10 %; the first time is within 10 s of the start. */
  cleanEveryMs: number;
  /**
   * How long a handled event is remembered. Must exceed the retention of both buses (the table `bus.retention`, and
   * Kafka's `retention.ms`).
   */
  inboxRetentionDays: number;
  /**
   * How long a dead letter is kept after its last failure, whether or not it was replayed. A dead letter whose replay
   * is requested is kept until the replay.
   */
  deadLetterRetentionDays: number;
}

/** The default of `deadLetterRetentionDays`. */
export const DEAD_LETTER_RETENTION_DAYS = 90;

const DEFAULT_TUNING: EventsTuning = {
  concurrency: 2,
  batchMax: 500,
  handlerAttempts: 5,
  handlerBackoffMs: 100,
  handlerBackoffMaxMs: 2_000,
  relayBatch: 2_000,
  relayIdleMs: 1_000,
  relayStandbyMs: 500,
  replayPollMs: 5_000,
  measureEveryMs: 15_000,
  cleanEveryMs: 60 * 60_000,
  inboxRetentionDays: 30,
  deadLetterRetentionDays: DEAD_LETTER_RETENTION_DAYS,
};

/** The options of an app that publishes or handles events. */
export interface EventsOptions {
  /** The app's name, which is part of the CloudEvents source, and the default of `group`. */
  app: string;
  bus: BusKind;
  /** `host:port` of at least one broker; required on Kafka. */
  kafkaBrokers?: readonly string[];
  /** Omit for brokers without authentication. */
  kafkaLogin?: KafkaLogin;
  /** How long the brokers wait for a consumer's heartbeat before they reassign its partitions, ms. Default: 6,000. */
  kafkaSessionTimeoutMs?: number;
  /** Postgres URL of a role with access to the schema `bus`; required on Postgres. */
  busUrl?: string;
  /** Postgres URL of the app's own tables. */
  databaseUrl?: string;
  /** Consumer group, if other than the app's name. */
  group?: string;
  /** All topics. Default: the platform's topics. */
  topology?: readonly TopicTopology[];
  tuning?: Partial<EventsTuning>;
  /**
   * Called when consuming has ended permanently. By default, the process exits with code 1, so that it is restarted.
   */
  onFatal?: (error: Error) => void;
}

/** The event settings of an app's environment. */
export interface EventsSettings extends KafkaLoginSettings {
  EVENT_BUS: BusKind;
  /** See `kafkaBrokers` of {@link EventsOptions}. */
  KAFKA_BROKERS?: string[];
  /** See `kafkaSessionTimeoutMs` of {@link EventsOptions}. */
  KAFKA_SESSION_TIMEOUT_MS?: number;
  /** See `busUrl` of {@link EventsOptions}; default: DATABASE_URL. */
  BUS_DATABASE_URL?: string;
  DATABASE_URL: string;
}

/** The options after `resolveOptions` has applied the defaults. They are also the options of the bus. */
export interface ResolvedEventsOptions extends BusOptions {
  readonly bus: BusKind;
  readonly topology: readonly TopicTopology[];
  readonly tuning: EventsTuning;
}

export const EVENTS_OPTIONS = Symbol('EVENTS_OPTIONS');

/** Applies the defaults. @throws EventsConfigurationError when the chosen bus has no address */
export function resolveOptions(options: EventsOptions): ResolvedEventsOptions {
  if (options.bus === 'kafka' && !options.kafkaBrokers?.length)
    throw new EventsConfigurationError('EVENT_BUS is kafka, but KAFKA_BROKERS names no broker');
  if (options.bus === 'postgres' && !options.busUrl)
    throw new EventsConfigurationError('EVENT_BUS is postgres, but BUS_DATABASE_URL is not set');
  const {
    app,
    bus,
    kafkaBrokers = [],
    kafkaLogin,
    kafkaSessionTimeoutMs,
    busUrl = '',
    databaseUrl,
    group = app,
    topology = TOPOLOGY,
  } = options;
  const { tuning, onFatal = () => process.exit(1) } = options;
  return {
    app,
    bus,
    kafkaBrokers,
    kafkaLogin,
    busUrl,
    databaseUrl,
    group,
    kafkaSessionTimeoutMs,
    topology,
    tuning: { ...DEFAULT_TUNING, ...tuning },
    onGap: ({ topic, from, to }) => EVENTS_MISSED.inc({ topic }, Number(BigInt(to) - BigInt(from))),
    onFatal,
  };
}
