import { Logger } from '@nestjs/common';
import { kafkaLoginOf } from '@tandem/messaging';
import { IsString, Matches, MinLength } from 'class-validator';
import type { AppDefinition } from './app-definition';
import { BaseConfig } from './config/base-config';
import { WithBus } from './config/config-parts';
import { loadConfig } from './config/load-config';
import { OwnSecret } from './config/own-secret';
import { createLogger, PinoLogger } from './logging/logger';
import { migrateApps } from './migrate-apps';

/** The environment of `node dist/main.js migrate`. The command needs none of the app's own settings. */
export class MigrationConfig extends WithBus(BaseConfig) {
  /** Postgres URL of a superuser. Its database is created if missing. */
  @Matches(/^postgres(ql)?:\/\/[^/]+\/[^/?]+/, { message: 'must be a postgres:// URL with the name of a database' })
  @OwnSecret()
  MIGRATION_DATABASE_URL!: string;

  /** The password that the app's own role gets: the password in the app's DATABASE_URL. */
  @IsString()
  @MinLength(1)
  @OwnSecret()
  DATABASE_ROLE_PASSWORD!: string;
}

/** The app has no schema, so there is nothing to migrate. */
export class NoSchemaError extends Error {
  readonly code = 'no_schema';
  override readonly name = 'NoSchemaError';
}

/**
 * Brings the app's schema, its role, its rights on the bus and its topics up to date, and logs each migration that ran.
 * This function is idempotent: several apps, or several replicas of one app, may call it at the same time.
 *
 * @param env see {@link MigrationConfig}
 * @returns the names of the migrations that ran, in order
 * @throws ConfigError when a variable is missing or invalid; NoSchemaError
 */
export async function migrate(app: Pick<AppDefinition, 'name' | 'schema'>, env: NodeJS.ProcessEnv): Promise<string[]> {
  const config = loadConfig(MigrationConfig, env);
  if (!app.schema) throw new NoSchemaError(`${app.name} has no schema to migrate`);
  const logger = new PinoLogger(createLogger(app.name, config.LOG_LEVEL));
  // The clients of Postgres and Kafka log through Nest's logger, which this logger replaces.
  Logger.overrideLogger(logger);
  const { schema } = app.schema;
  const ran = await migrateApps({
    superuserUrl: config.MIGRATION_DATABASE_URL,
    bus: config.EVENT_BUS,
    kafkaBrokers: config.KAFKA_BROKERS,
    kafkaLogin: kafkaLoginOf(config),
    apps: [{ app: app.name, schema: app.schema, rolePassword: config.DATABASE_ROLE_PASSWORD }],
    complete: false,
  });
  for (const migration of ran) logger.log({ msg: 'migration.ran', schema, migration });
  logger.log({ msg: 'migrate.finished', schema, migrations: ran.length, bus: config.EVENT_BUS });
  return ran;
}
