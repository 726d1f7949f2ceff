import { DataSource, QueryRunner } from 'typeorm';

interface PgConnection {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a statement that Postgres plans once for each connection: for hot paths over partitioned tables, where planning
 * costs more than running.
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
  const connection = (await source.connect()) as PgConnection;
  return (await connection.query({ name: `postback_${name}`, text, values })).rows as Row[];
}

/** The query runner of a transaction's manager. */
export function runnerOf(manager: { queryRunner?: QueryRunner }): QueryRunner {
  if (manager.queryRunner === undefined) throw new Error('the manager is not of a transaction');
  return manager.queryRunner;
}
