export type BusKind = 'kafka' | 'postgres';

/** An app's login to the brokers: SCRAM-SHA-512, over TLS. */
export interface KafkaLogin {
  username: string;
  password: string;
  /** PEM of the CA that signed the brokers' certificates, if Node does not trust it by default. */
  ca?: string;
}

/** The environment settings of a {@link KafkaLogin}. */
export interface KafkaLoginSettings {
  /** If this is set, the password must be set too. The CA is optional. */
  KAFKA_SASL_USERNAME?: string;
  KAFKA_SASL_PASSWORD?: string;
  KAFKA_TLS_CA?: string;
}

/** Returns the login in an app's environment; undefined when there is none. */
export function kafkaLoginOf(settings: KafkaLoginSettings): KafkaLogin | undefined {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password = '', KAFKA_TLS_CA: ca } = settings;
  return username === undefined ? undefined : { username, password, ca };
}

/** Events of a partition that a group will never read: from `from` up to but excluding `to`. */
export interface Gap {
  readonly topic: string;
  readonly partition: number;
  readonly from: string;
  readonly to: string;
}

/** How one app connects to its bus. A bus reads only the addresses of its own kind. */
export interface BusOptions {
  /** The app's name, which is also the client id on the brokers. */
  readonly app: string;
  /** `host:port` of some brokers. */
  readonly kafkaBrokers: readonly string[];
  /** Omit for brokers without authentication. */
  readonly kafkaLogin?: KafkaLogin;
  /** Postgres URL of a role with access to the schema `bus`. */
  readonly busUrl: string;
  /** Postgres URL of the app's own tables; omit for an app without tables. */
  readonly databaseUrl?: string;
  /** The consumer group. */
  readonly group: string;
  /** How long a member of a group may be silent before it loses its partitions; default 6,000, on Postgres 3,000. */
  readonly sessionTimeoutMs?: number;
  /** Called when a consumer group finds that unread events were removed. */
  readonly onGap?: (gap: Gap) => void;
  /** Called when consuming has ended permanently. */
  readonly onFatal: (error: Error) => void;
}

/** The configuration lacks the address of the bus. */
export class EventsConfigurationError extends Error {
  readonly code = 'events_configuration';
  override readonly name = 'EventsConfigurationError';
}
