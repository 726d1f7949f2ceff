import { DataSource, type DataSourceOptions } from 'typeorm';
import { DatabaseClient } from './database-client';

/** The database settings of an app's environment. */
export interface DatabaseSettings {
  /** See `url` of {@link DatabaseOptions}. */
  DATABASE_URL: string;
  /** See `poolMax` of {@link DatabaseOptions}. */
  DATABASE_POOL_MAX?: number;
}

/** How one process connects to its own schema. */
export interface DatabaseOptions {
  /**
   * Postgres URL with the app's own role. The role has the name of the schema, so that `"$user"` in search_path finds
   * the tables.
   */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Maximum connections of this process. Default 10. */
  poolMax?: number;
  /** How long a request waits for a connection, ms. Default 2,000: after that the database counts as unavailable. */
  connectTimeoutMs?: number;
  /** Longest statement, ms. Default 15,000. */
  statementTimeoutMs?: number;
  /**
   * Whether Postgres uses generic plans, so that a named statement is planned once per connection. Set this for an app
   * whose statements have one good plan each, and cost as much to plan as to run. Default: Postgres decides.
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
 * A killed process must not keep its locks: Postgres checks that the client is still connected while a statement waits for a lock.
 * A server on Windows cannot do that.
 */
const CLIENT_CHECK = process.platform === 'win32' ? [] : ['client_connection_check_interval=500ms'];

const sessionSettings = ({ genericPlans, settings = [] }: DatabaseOptions): string[] => [
  ...CLIENT_CHECK,
  ...(genericPlans === true ? ['plan_cache_mode=force_generic_plan'] : []),
  ...settings,
];

/**
 * A process that stops in the middle of a transaction keeps its locks for this long. This is less than the session timeout of a Kafka
 * consumer group, so the next owner of its partitions does not wait for them. On the Postgres bus it waits for at most about a second.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/**
 * TypeORM options for Postgres as every app uses it: no `synchronize`, no extension created, and every wait bounded, so that an
 * outage becomes a recognisable error (`isDatabaseUnavailable`) instead of a hanging request.
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
  entities: options.entities ?? [],
  migrations: options.migrations ?? [],
  extra: {
    Client: DatabaseClient,
    // Statements that a transaction starts without awaiting each other are sent together, and run in that order.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    // A client-side time limit in addition to the server's: a server that vanished silently never reports its own timeout.
    query_timeout: (options.statementTimeoutMs ?? 15_000) + 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: sessionSettings(options)
      .map((setting) => `-c ${setting}`)
      .join(' '),
  },
  // The pool drops an idle connection that breaks (a server restart); without a handler the error would end the process.
  poolErrorHandler: () => undefined,
});

/** Creates an uninitialised TypeORM data source. */
export const createDataSource = (options: DatabaseOptions): DataSource => new DataSource(dataSourceOptions(options));
