import type { DataSource } from 'typeorm';

/** Describes the rows of a table that are deleted when they are old. */
export interface OldRows {
  readonly table: string;
  /** The column from which a row's age counts. It needs a btree index, which is partial when there is a `condition`. */
  readonly column: string;
  /** SQL condition of the rows to delete; default: every row. */
  readonly condition?: string;
}

/** Rows per transaction: few enough not to delay a request, or the vacuum. */
const BATCH = 1_000;

/**
 * Deletes the rows older than a given time, in small transactions. Each statement continues where the previous one ended: from the start
 * it would scan all index entries of rows that are deleted and not vacuumed yet. Rows locked by a request or by another replica's
 * deletion are left to the next call.
 *
 * @param before rows of this time and later are kept
 * @param stopped called after each transaction; the rest is left to the next call
 * @returns the number of deleted rows
 */
export async function deleteOldRows(
  source: DataSource,
  { table, column, condition = 'true' }: OldRows,
  before: Date,
  stopped: () => boolean = () => false,
): Promise<number> {
  const statement = `
    with old as (
      select ctid, ${column} as at from ${table} where ${column} >= $1 and ${column} < $2 and ${condition}
      order by ${column} limit $3 for update skip locked),
    deleted as (delete from ${table} where ctid = any (array(select ctid from old)) returning 1)
    select (select count(*) from deleted)::int as deleted, count(*)::int as found, max(at)::text as last from old`;
  let from = '-infinity';
  for (let total = 0; ;) {
    const [batch] = await source.query<[{ deleted: number; found: number; last: string }]>(statement, [
      from,
      before,
      BATCH,
    ]);
    total += batch.deleted;
    if (batch.found < BATCH || stopped()) return total;
    from = batch.last;
  }
}
