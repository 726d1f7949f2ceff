import type { DatabaseSettings } from '@tandem/database';
import type { EventsSettings } from '@tandem/messaging';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { NeededWhen } from './needed-when';
import { OwnSecret } from './own-secret';
import { nonEmptyListOf, Parsed } from './parsed';

/**
 * A part of an app's environment: a function from a config class to one with more settings.
 *
 *     class VoucherServiceConfig extends WithEvents(WithDatabase(BaseConfig)) { … }
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- TypeScript asks for any[] in the constructor of a mix-in's base
export type Constructor<T extends object = object> = new (...args: any[]) => T;

type BusSettings = Omit<EventsSettings, 'DATABASE_URL' | 'BUS_DATABASE_URL'>;

/** For an app with a database of its own: DATABASE_URL and the size of the pool. */
export function WithDatabase<B extends Constructor>(Base: B): B & Constructor<DatabaseSettings> {
  class DatabaseConfig extends Base {
    /** Postgres URL with the app's own role. */
    @Matches(/^postgres(ql)?:\/\/\S+$/, { message: 'must be a postgres:// URL' })
    // Kubernetes leaves $(NAME) as it is while NAME is not set. A process that goes on with that would never get another value.
    @Matches(/^(?!.*\$\(\w+\))/s, { message: 'names a variable in $(…) that is not set' })
    @OwnSecret()
    DATABASE_URL!: string;

    @IsInt()
    @Min(1)
    @Max(500)
    DATABASE_POOL_MAX = 10;
  }
  return DatabaseConfig;
}

/** Which bus carries the events, where Kafka is, and who the app is there. */
export function WithBus<B extends Constructor>(Base: B): B & Constructor<BusSettings> {
  class BusConfig extends Base {
    @IsIn(['kafka', 'postgres'])
    EVENT_BUS: 'kafka' | 'postgres' = 'postgres';

    /** Comma list of host:port; needed when EVENT_BUS is kafka. */
    @NeededWhen<BusSettings>(({ EVENT_BUS }) => EVENT_BUS === 'kafka', 'EVENT_BUS is kafka')
    @Parsed(nonEmptyListOf, 'must be a comma list of host:port')
    KAFKA_BROKERS?: string[];

    /** The user of the app, on brokers that want one: by SCRAM-SHA-512, over TLS. Without it nothing is encrypted. */
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

    /** PEM of the authority of the brokers' certificates; those that Node knows when left out. */
    @IsOptional()
    @IsString()
    KAFKA_TLS_CA?: string;
  }
  return BusConfig;
}

/** For an app that publishes or handles events, which needs a database too. */
export function WithEvents<B extends Constructor<DatabaseSettings>>(Base: B): B & Constructor<EventsSettings> {
  class EventsConfig extends WithBus(Base) {
    /** Postgres URL of the database that holds the `bus` schema, with the app's role; DATABASE_URL when left out. */
    @IsOptional()
    @IsString()
    @OwnSecret()
    BUS_DATABASE_URL?: string;
  }
  return EventsConfig;
}
