import type { DatabaseSettings } from '@tandem/database';
import type { EventsSettings } from '@tandem/messaging';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { NeededWhen } from './needed-when';
import { OwnSecret } from './own-secret';
import { nonEmptyListOf, Parsed } from './parsed';
import { WholeNumber } from './whole-number';

/**
 * A config class. A part of an app's environment, such as `WithDatabase`, is a function that takes a config class and
 * returns a config class with more settings.
 *
 *     class VoucherServiceConfig extends WithEvents(WithDatabase(BaseConfig)) { … }
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- TypeScript requires any[] in the constructor of a mix-in's base
export type Constructor<T extends object = object> = new (...args: any[]) => T;

type BusSettings = Omit<EventsSettings, 'DATABASE_URL' | 'BUS_DATABASE_URL' | 'KAFKA_SESSION_TIMEOUT_MS'>;

/** Adds the settings of an app with its own database: DATABASE_URL and the size of the pool. */
export function WithDatabase<B extends Constructor>(Base: B): B & Constructor<DatabaseSettings> {
  class DatabaseConfig extends Base {
    /** Postgres URL with the app's own role. */
    @Matches(/^postgres(ql)?:\/\/\S+$/, { message: 'must be a postgres:// URL' })
    // Kubernetes leaves $(NAME) unchanged if NAME is not set. An app that started with such a URL could never connect, so it must not start.
    @Matches(/^(?!.*\$\(\w+\))/s, { message: 'names a variable in $(…) that is not set' })
    @Matches(/^(?!.*%(?![0-9a-f]{2}))/is, { message: 'has a % that is not followed by two hexadecimal digits' })
    @OwnSecret()
    DATABASE_URL!: string;

    @IsInt()
    @Min(1)
    @Max(500)
    DATABASE_POOL_MAX = 10;
  }
  return DatabaseConfig;
}

/** Adds the settings of the bus: its kind, the address of Kafka, and the app's login to Kafka. */
export function WithBus<B extends Constructor>(Base: B): B & Constructor<BusSettings> {
  class BusConfig extends Base {
    @IsIn(['kafka', 'postgres'])
    EVENT_BUS: 'kafka' | 'postgres' = 'postgres';

    /** Comma-separated list of host:port; required if EVENT_BUS is kafka. */
    @NeededWhen<BusSettings>(({ EVENT_BUS }) => EVENT_BUS === 'kafka', 'EVENT_BUS is kafka')
    @Parsed(nonEmptyListOf, 'must be a comma-separated list of host:port')
    KAFKA_BROKERS?: string[];

    /** The app's user, if the brokers require a login: SCRAM-SHA-512 over TLS. Without a user, the connection is not encrypted. */
    @NeededWhen<BusSettings>(
      ({ KAFKA_SASL_PASSWORD, KAFKA_TLS_CA }) => (KAFKA_SASL_PASSWORD ?? KAFKA_TLS_CA) !== undefined,
      'KAFKA_SASL_PASSWORD or KAFKA_TLS_CA is',
    )
    @IsString()
    KAFKA_SASL_USERNAME?: string;

    @NeededWhen<BusSettings>(({ KAFKA_SASL_USERNAME }) => KAFKA_SASL_USERNAME !== undefined, 'KAFKA_SASL_USERNAME is')
    @IsString()
    @OwnSecret()
    KAFKA_SASL_PASSWORD?: string;

    /** PEM of the CA of the brokers' certificates. Default: the CAs that Node trusts. */
    @IsOptional()
    @IsString()
    KAFKA_TLS_CA?: string;
  }
  return BusConfig;
}

/** Adds the settings of an app that publishes or handles events. Such an app also needs a database. */
export function WithEvents<B extends Constructor<DatabaseSettings>>(Base: B): B & Constructor<EventsSettings> {
  class EventsConfig extends WithBus(Base) {
    /** Postgres URL of the database with the `bus` schema, with the app's role. Default: DATABASE_URL. */
    @IsOptional()
    @IsString()
    @OwnSecret()
    BUS_DATABASE_URL?: string;

    /**
     * How long the brokers wait for a consumer that sends no heartbeat before they move its partitions to another consumer. The
     * brokers refuse less than their `group.min.session.timeout.ms`.
     */
    @WholeNumber(3_000, 300_000)
    KAFKA_SESSION_TIMEOUT_MS = 6_000;
  }
  return EventsConfig;
}
