import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { MeasuredPool } from './connection-pool';
import { type DatabaseOptions, type DatabaseSettings, dataSourceOptions } from './data-source';
import { isDatabaseUnavailable, isLoginRefused } from './errors';
import './pool-metrics';

/**
 * Provides the data source that Nest injects, one for the whole process.
 *
 * When the app starts, it waits for Postgres without limit. When the app stops, TypeORM closes the pool in
 * `onApplicationShutdown`. Before that, background work stops in `beforeApplicationShutdown`, and the HTTP server closes.
 */
@Module({})
export class DatabaseModule {
  /** @param settings the app's config */
  static register(settings: DatabaseSettings, more: Omit<DatabaseOptions, 'url' | 'poolMax'>): DynamicModule {
    const options = { ...more, url: settings.DATABASE_URL, poolMax: settings.DATABASE_POOL_MAX };
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          // Nest must not retry: `connectPatiently` waits for the server, and a wrong password or database name must make
          // the start fail immediately.
          useFactory: () => ({
            ...dataSourceOptions(options),
            driver: { ...pg, Pool: MeasuredPool },
            retryAttempts: 0,
          }),
          dataSourceFactory: (finished) => connectPatiently(finished as ReturnType<typeof dataSourceOptions>),
        }),
      ],
    };
  }
}

const RETRY_MS = 500;
const REPORT_EVERY = 10;

/**
 * Returns an initialized data source. Retries without limit while the database is unavailable
 * ({@link isDatabaseUnavailable}).
 *
 * @throws immediately when the server refuses the login
 */
export async function connectPatiently(options: ReturnType<typeof dataSourceOptions>): Promise<DataSource> {
  const logger = new Logger(DatabaseModule.name);
  for (let attempt = 0; ; attempt++) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (isLoginRefused(error) || !isDatabaseUnavailable(error)) throw error;
      if (attempt % REPORT_EVERY === 0) logger.warn(`waiting for the database: ${(error as Error).message}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
