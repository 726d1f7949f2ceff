import { TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { EVENTS_MISSED } from './metrics';
import {
  type BusKind,
  type BusOptions,
  EventsConfigurationError,
  type KafkaLogin,
  type KafkaLoginSettings,
} from '@tandem/event-bus';

/** Tuning of one app's events. Every wait is in ms. */
export interface EventsTuning {
  /** Transactions of one topic's handler at once in one process. Keep it below the app's pool, which they share with requests. */
  concurrency: number;
  /** Events of one transaction at most. */
  batchMax: number;
  /** Tries of a handler before its event becomes a dead letter. */
  handlerAttempts: number;
  handlerBackoffMs: number;
  handlerBackoffMaxMs: number;
  /** Rows the relay takes at a time. */
  relayBatch: number;
  /** How often the relay looks at the outbox without being woken: for what a killed process has left. */
  relayIdleMs: number;
  /** How often a replica asks whether it may lead the relay. */
  relayStandbyMs: number;
  /** How often requested replays are looked for, when none is left. */
  replayPollMs: number;
  /** How often dead letters, the lag and the like are measured, by the process that leads the relay. */
  measureEveryMs: number;
  /** How long a member of a group may be silent before its partitions go to the others; default 6,000, on Postgres 5,000. */
  sessionTimeoutMs?: number;
  /** How often rows past their retention are removed; first within 10 s of the start. */
  cleanEveryMs: number;
  /** How long a handled event is remembered. It must be longer than any bus keeps events (`bus.retention`, `retention.ms`). */
  inboxRetentionDays: number;
  /** How long a dead letter is kept after it failed last, replayed or not. */
  deadLetterRetentionDays: number;
}

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
  deadLetterRetentionDays: 90,
};

/** How one app takes part in events. */
export interface EventsOptions {
  /** The app's name: the CloudEvents source, and its consumer group. */
  app: string;
  bus: BusKind;
  /** `host:port` of some brokers; needed on Kafka. */
  kafkaBrokers?: readonly string[];
  /** Left out on brokers that everybody may use. */
  kafkaLogin?: KafkaLogin;
  /** Postgres URL of a role that may use the schema `bus`; needed on Postgres. */
  busUrl?: string;
  /** Postgres URL of the app's own tables. */
  databaseUrl?: string;
  /** Consumer group, when it is not the app's name. */
  group?: string;
  /** Every topic there is. Default: the platform's. */
  topology?: readonly TopicTopology[];
  tuning?: Partial<EventsTuning>;
  /** Called when consuming has ended for good. Default: exit with code 1, so that the process is restarted. */
  onFatal?: (error: Error) => void;
}

/** The part of an app's environment that says how events reach it. */
export interface EventsSettings extends KafkaLoginSettings {
  EVENT_BUS: BusKind;
  /** See `kafkaBrokers` of {@link EventsOptions}. */
  KAFKA_BROKERS?: string[];
  /** See `busUrl` of {@link EventsOptions}; DATABASE_URL when left out. */
  BUS_DATABASE_URL?: string;
  DATABASE_URL: string;
}

/** The options with all defaults, and as the bus takes them. */
export interface ResolvedEventsOptions extends BusOptions {
  readonly bus: BusKind;
  readonly topology: readonly TopicTopology[];
  readonly tuning: Omit<EventsTuning, 'sessionTimeoutMs'>;
}

export const EVENTS_OPTIONS = Symbol('EVENTS_OPTIONS');

/** Fills in the defaults. @throws EventsConfigurationError */
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
    busUrl = '',
    databaseUrl,
    group = app,
    topology = TOPOLOGY,
  } = options;
  const { tuning: { sessionTimeoutMs, ...tuning } = {}, onFatal = () => process.exit(1) } = options;
  return {
    app,
    bus,
    kafkaBrokers,
    kafkaLogin,
    busUrl,
    databaseUrl,
    group,
    sessionTimeoutMs,
    topology,
    tuning: { ...DEFAULT_TUNING, ...tuning },
    onGap: ({ topic, from, to }) => EVENTS_MISSED.inc({ topic }, Number(BigInt(to) - BigInt(from))),
    onFatal,
  };
}
