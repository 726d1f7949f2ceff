import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

/** The environment that every app reads; an app's `config.ts` extends it and is the only reader of `process.env`. */
export class BaseConfig {
  @IsIn(['development', 'test', 'production'])
  NODE_ENV: 'development' | 'test' | 'production' = 'development';

  /** Address to listen on. */
  @IsString()
  HOST = '127.0.0.1';

  /** 0 takes a free one. */
  @IsInt()
  @Min(0)
  @Max(65535)
  PORT = 3000;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /** Postgres URL with the app's own role. */
  @Matches(/^postgres(ql)?:\/\/\S+$/, { message: 'must be a postgres:// URL' })
  DATABASE_URL!: string;

  @IsInt()
  @Min(1)
  @Max(500)
  DATABASE_POOL_MAX = 10;

  /** Which bus carries the events. */
  @IsIn(['kafka', 'postgres'])
  EVENT_BUS: 'kafka' | 'postgres' = 'postgres';

  /** Comma list of host:port; needed when EVENT_BUS is kafka. */
  @IsOptional()
  @IsString()
  KAFKA_BROKERS?: string;

  /** Postgres URL of the database that holds the `bus` schema, with the app's role; DATABASE_URL when left out. */
  @IsOptional()
  @IsString()
  BUS_DATABASE_URL?: string;

  /** How long a stop waits for work in flight, ms; then the process ends anyway. */
  @IsInt()
  @Min(100)
  SHUTDOWN_TIMEOUT_MS = 10_000;

  /** KAFKA_BROKERS as a list. */
  get kafkaBrokers(): string[] | undefined {
    return this.KAFKA_BROKERS?.split(',').map((broker) => broker.trim());
  }
}
