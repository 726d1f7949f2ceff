import { DataSource, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';

interface PgConnection {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a statement that Postgres parses once for each connection: for hot paths, where planning costs as much as running.
 *
 * @param source a transaction's query runner, or the data source for a connection of its own
 * @param name the same for the same text, and for nothing else
 */
export async function queryPrepared<Row>(
  source: DataSource | QueryRunner,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  if (source instanceof DataSource) {
    const runner = source.createQueryRunner();
    try {
      return await queryPrepared(runner, name, text, values);
    } finally {
      await runner.release();
    }
  }
  // TypeORM asks this before its own queries: what was forgotten in a transaction must not run in the next one.
  if (source.isReleased) throw new QueryRunnerAlreadyReleasedError();
  const connection = (await source.connect()) as PgConnection;
  return (await connection.query({ name, text, values })).rows as Row[];
}

/** The query runner of a transaction's manager, to run its statements with. @throws Error when there is no transaction */
export function runnerOf(manager: { readonly queryRunner?: QueryRunner }): QueryRunner {
  if (manager.queryRunner === undefined) throw new Error('the manager is not of a transaction');
  return manager.queryRunner;
}
