import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ConnectionPool } from './connection-pool';
import { DatabaseClient } from './database-client';

/** The database settings of an app's environment. */
export interface DatabaseSettings {
  /** See `url` of {@link DatabaseOptions}. */
  DATABASE_URL: string;
  /** See `poolMax` of {@link DatabaseOptions}. */
  DATABASE_POOL_MAX?: number;
}

/** How a data source connects to the app's schema. */
export interface DatabaseOptions {
  /**
   * Postgres URL. An app logs in with its own role, which has the name of the app's schema, so that `"$user"` in
   * search_path finds the tables.
   */
  url: string;
  /** The `application_name` in pg_stat_activity. */
  applicationName: string;
  /** Maximum connections of the data source's pool. Default 10. */
  poolMax?: number;
  /**
   * How long a request waits for a connection, ms. Default 2,000. After this time the database counts as unavailable.
   */
  connectTimeoutMs?: number;
  /** Maximum duration of a statement, ms. Default 15,000. */
  statementTimeoutMs?: number;
  /**
   * Whether Postgres uses generic plans, so that a named statement is planned once per connection. Set this for an app
   * in which each statement has only one good plan, and planning costs as much as running. Default: Postgres decides.
   */
  genericPlans?: boolean;
  /** Further settings of each session, `name=value`. */
  settings?: readonly string[];
  /** TypeORM entity classes of this app. */
  entities?: DataSourceOptions['entities'];
  /** TypeORM migration classes; set only by the migrate step. */
  migrations?: DataSourceOptions['migrations'];
}

/**
 * Makes Postgres check that the client is still connected, while a statement runs or waits for a lock. Without this
 * check, a killed process would keep its locks until the statement ends. A server on Windows refuses the setting, so an
 * app on Windows does not send it.
 */
const CLIENT_CHECK = process.platform === 'win32' ? [] : ['client_connection_check_interval=500ms'];

const sessionSettings = ({ genericPlans, settings = [] }: DatabaseOptions): string[] => [
  ...CLIENT_CHECK,
  ...(genericPlans === true ? ['plan_cache_mode=force_generic_plan'] : []),
  ...settings,
];

/**
 * How long a process that stalls in the middle of a transaction keeps its locks. The bus assigns the partitions of this
 * process to another member after the session timeout (3 s on the Postgres bus, at least 3 s on Kafka). So the new
 * owner waits for these locks for about two seconds at most: 5 s minus the session timeout.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/**
 * Returns the TypeORM options that every app uses for Postgres: no `synchronize`, no creation of extensions, and a
 * limit for every wait. Because of the limits, a request does not hang during an outage, but fails with an error that
 * `isDatabaseUnavailable` recognizes.
 */
export const dataSourceOptions = (options: DatabaseOptions): DataSourceOptions => ({
  type: 'postgres',
  url: options.url,
  applicationName: options.applicationName,
  poolSize: options.poolMax ?? 10,
  connectTimeoutMS: options.connectTimeoutMs ?? 2_000,
  installExtensions: false,
  uuidExtension: 'pgcrypto',
  synchronize: false,
  migrationsRun: false,
  migrationsTransactionMode: 'each',
  logging: false,
  driver: { ...pg, Pool: ConnectionPool },
  entities: options.entities ?? [],
  migrations: options.migrations ?? [],
  extra: {
    Client: DatabaseClient,
    // Statements of a transaction that are started without awaiting the previous one are sent together, and run in the
    // order of their start.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    // The client has a time limit in addition to the server's, because a server that vanished without notice never
    // reports its timeout.
    query_timeout: (options.statementTimeoutMs ?? 15_000) + 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: sessionSettings(options)
      .map((setting) => `-c ${setting}`)
      .join(' '),
  },
  // The pool removes an idle connection that breaks, for example when the server restarts, so there is nothing to do.
  poolErrorHandler: () => undefined,
});

/** Creates an uninitialized TypeORM data source. */
export const createDataSource = (options: DatabaseOptions): DataSource => new DataSource(dataSourceOptions(options));
