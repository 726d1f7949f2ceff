import type { DataSource } from 'typeorm';

/** Describes which rows of a table are deleted when they are old. */
export interface OldRows {
  readonly table: string;
  /**
   * The column with the time from which a row's age counts. The column needs a btree index. If there is a `condition`,
   * the index should be a partial index with the same condition. With an index on all rows, each call would also read
   * the old rows that do not meet the condition, which is acceptable only if they are few.
   */
  readonly column: string;
  /** SQL condition of the rows to delete; default: every row. */
  readonly condition?: string;
}

/** Rows per transaction: few enough not to delay requests or the vacuum. */
const BATCH = 1_000;

/**
 * Deletes the rows older than a given time, in small transactions. Each statement continues where the previous one
 * ended. If it began at the oldest row again, it would scan the index entries of all rows that are deleted but not
 * vacuumed yet. Rows locked by a request, or by another replica's deletion, are left to the next call.
 *
 * @param before the limit of the time in `column`: only rows with an earlier time are deleted. Compute the limit from
 *   `readClock`, because the clock of one replica may be wrong
 * @param stopped called between two transactions; when it returns true, the remaining rows are left to the next call
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
