import { eventually } from './eventually';
import type { TestDatabase } from './test-database';

/** A TypeORM data source whose pool has one connection: {@link buffersRead} flushes the counts of only one connection. */
interface SingleConnection {
  query(sql: string, params?: unknown[]): Promise<unknown>;
}

const READ = `
  select coalesce(sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit), 0)::int as buffers
  from pg_statio_all_tables where schemaname = current_schema() and relname like $1`;

/**
 * Counts the buffers, cached or not, that `work` reads from a table and its indexes.
 *
 * @param table a name, or a LIKE pattern that matches several tables, such as all partitions
 */
export async function buffersRead(
  source: SingleConnection,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async (): Promise<number> => {
    // Without this call, a session of Postgres reports its reads at most once a second.
    await source.query('select pg_stat_force_next_flush()');
    const [{ buffers }] = (await source.query(READ, [table])) as [{ buffers: number }];
    return buffers;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

/** The rows with which {@link ageTable} fills a table. */
export interface AgedRows {
  readonly table: string;
  /** An `insert into <table> …` of rows with the numbers $1 to $2, each $3 days old. */
  readonly insert: string;
}

/**
 * Takes a table through a whole cycle of its retention, so that its pages are reused. Half of its rows are old and are deleted, and
 * vacuum frees their space. New rows fill this space: first a few old rows, then young rows.
 *
 * @returns how many rows are old, and how many pages the table has
 */
export async function ageTable(
  database: TestDatabase,
  { table, insert }: AgedRows,
  deleteOld: () => Promise<unknown>,
): Promise<{ old: number; pages: number }> {
  const half = 100_000;
  // Old and young rows alternate in the table, a thousand at a time.
  for (let from = 0; from < half; from += 1_000) {
    await database.query(insert, [2 * from + 1, 2 * from + 1_000, 200]);
    await database.query(insert, [2 * from + 1_001, 2 * from + 2_000, 0]);
  }
  await database.query(`vacuum analyze ${table}`);
  await deleteOld();
  // The vacuum is repeated until no dead row is left: even a short snapshot of the running app keeps a vacuum from removing dead rows.
  await eventually(async () => {
    await database.query(`vacuum analyze ${table}`);
    const [stats] = await database.query<{ dead: string }>(
      'select n_dead_tup as dead from pg_stat_all_tables where relid = $1::regclass',
      [table],
    );
    if (Number(stats?.dead) > 0) throw new Error(`${stats?.dead} dead rows are left in ${table}`);
  });
  const old = 50;
  await database.query(insert, [2 * half + 1, 2 * half + old, 200]);
  await database.query(insert, [2 * half + old + 1, 3 * half, 0]);
  const [row] = await database.query<{ pages: number }>(
    `select (pg_relation_size($1) / current_setting('block_size')::int)::int as pages`,
    [table],
  );
  return { old, pages: row?.pages ?? 0 };
}
