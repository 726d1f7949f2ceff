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
  /** The name of the app's user on the brokers. If it is set, `KAFKA_SASL_PASSWORD` is required, and `KAFKA_TLS_CA` is optional. */
  KAFKA_SASL_USERNAME?: string;
  KAFKA_SASL_PASSWORD?: string;
  KAFKA_TLS_CA?: string;
}

/** Returns the Kafka login that an app's environment defines; undefined without `KAFKA_SASL_USERNAME`. */
export function kafkaLoginOf(settings: KafkaLoginSettings): KafkaLogin | undefined {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password = '', KAFKA_TLS_CA: ca } = settings;
  return username === undefined ? undefined : { username, password, ca };
}

/**
 * Events of a partition that a group can never read, because they were removed: the offsets from `from` up to, but not
 * including, `to`.
 */
export interface Gap {
  readonly topic: string;
  readonly partition: number;
  readonly from: string;
  readonly to: string;
}

/**
 * How one app connects to its bus. The Kafka bus ignores the Postgres URLs, and the Postgres bus ignores the Kafka
 * settings.
 */
export interface BusOptions {
  /** The app's name. The client ids on the brokers begin with this name. */
  readonly app: string;
  /** `host:port` of at least one broker. */
  readonly kafkaBrokers: readonly string[];
  /** Omit for brokers without authentication. */
  readonly kafkaLogin?: KafkaLogin;
  /** Postgres URL of a role with access to the schema `bus`. */
  readonly busUrl: string;
  /** Postgres URL of the app's own tables; omit for an app without tables. */
  readonly databaseUrl?: string;
  /** The consumer group. */
  readonly group: string;
  /**
   * Time without a heartbeat after which a member of a consumer group on Kafka loses its partitions, ms. Default:
   * 6,000.
   */
  readonly kafkaSessionTimeoutMs?: number;
  /**
   * Called when the consumer finds that events were removed before its group had read them. It is not called for a
   * partition of which the group has read nothing yet. Only the Postgres bus calls it.
   */
  readonly onGap?: (gap: Gap) => void;
  /** Called when consuming has ended permanently. Only the Kafka bus calls it. */
  readonly onFatal: (error: Error) => void;
}

/** The configuration lacks the address of the bus. */
export class EventsConfigurationError extends Error {
  readonly code = 'events_configuration';
  override readonly name = 'EventsConfigurationError';
}
