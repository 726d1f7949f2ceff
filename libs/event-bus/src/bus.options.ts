export type BusKind = 'kafka' | 'postgres';

/** How an app shows the brokers who it is: by SCRAM-SHA-512, over TLS. */
export interface KafkaLogin {
  username: string;
  password: string;
  /** PEM of the authority that signed the brokers' certificates, when it is not one that everybody knows. */
  ca?: string;
}

/** The part of an app's environment that gives a {@link KafkaLogin}. */
export interface KafkaLoginSettings {
  /** With its password and, when needed, the authority. */
  KAFKA_SASL_USERNAME?: string;
  KAFKA_SASL_PASSWORD?: string;
  KAFKA_TLS_CA?: string;
}

/** The login that an app's environment gives; undefined when it gives none. */
export function kafkaLoginOf(settings: KafkaLoginSettings): KafkaLogin | undefined {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password = '', KAFKA_TLS_CA: ca } = settings;
  return username === undefined ? undefined : { username, password, ca };
}

/** Events of a partition that a group will never read: from one offset up to, and without, another. */
export interface Gap {
  readonly topic: string;
  readonly partition: number;
  readonly from: string;
  readonly to: string;
}

/** How one app reaches its bus. A bus reads the addresses of its own kind only. */
export interface BusOptions {
  /** The app's name: its clients have it on the brokers. */
  readonly app: string;
  /** `host:port` of some brokers. */
  readonly kafkaBrokers: readonly string[];
  /** Left out on brokers that everybody may use. */
  readonly kafkaLogin?: KafkaLogin;
  /** Postgres URL of a role that may use the schema `bus`. */
  readonly busUrl: string;
  /** Postgres URL of the app's own tables; left out for an app without any. */
  readonly databaseUrl?: string;
  /** The consumer group. */
  readonly group: string;
  /** How long a member of a group may be silent before its partitions go to the others; default 6,000, on Postgres 5,000. */
  readonly sessionTimeoutMs?: number;
  /** Called when a consumer group finds that events were removed which it had not read. */
  readonly onGap?: (gap: Gap) => void;
  /** Called when consuming has ended for good. */
  readonly onFatal: (error: Error) => void;
}

/** The configuration does not say how to reach the bus. */
export class EventsConfigurationError extends Error {
  readonly code = 'events_configuration';
  override readonly name = 'EventsConfigurationError';
}
