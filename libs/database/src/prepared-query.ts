import { DataSource, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { READ_TIMEOUT } from './database-client';

interface PgConnection {
  query(statement: Statement): Promise<{ rows: unknown[] }>;
  end(): Promise<void>;
}

interface Statement {
  name: string;
  text: string;
  values: unknown[];
  query_timeout?: number;
}

export interface PreparedQueryOptions {
  /** How long the client waits for the answer, ms. Default: 5 s longer than the data source's statement timeout. */
  timeoutMs?: number;
}

/**
 * Runs a prepared statement, which Postgres parses once per connection. Use it on hot paths, where planning costs as
 * much as running.
 *
 * @param source the query runner of a transaction, or a data source, whose pool then provides the connection
 * @param name unique to the text of the statement
 * @throws Error `Query read timeout` when no answer arrives in time; the connection is then closed
 */
export async function queryPrepared<Row>(
  source: DataSource | QueryRunner,
  name: string,
  text: string,
  values: unknown[],
  options: PreparedQueryOptions = {},
): Promise<Row[]> {
  if (source instanceof DataSource) {
    const runner = source.createQueryRunner();
    try {
      return await queryPrepared(runner, name, text, values, options);
    } finally {
      await runner.release();
    }
  }
  // A late statement of one transaction must not run in the connection's next transaction. TypeORM makes the same check
  // before its own queries.
  if (source.isReleased) throw new QueryRunnerAlreadyReleasedError();
  const connection = (await source.connect()) as PgConnection;
  const statement = { name, text, values, ...(options.timeoutMs && { query_timeout: options.timeoutMs }) };
  try {
    return (await connection.query(statement)).rows as Row[];
  } catch (error) {
    // A query without an answer would block the connection's next query.
    if ((error as Error).message === READ_TIMEOUT) connection.end().catch(() => undefined);
    throw error;
  }
}

/** Returns the query runner of a transaction's manager. @throws Error when there is no transaction */
export function runnerOf(manager: { readonly queryRunner?: QueryRunner }): QueryRunner {
  if (manager.queryRunner === undefined) throw new Error('the manager does not belong to a transaction');
  return manager.queryRunner;
}
