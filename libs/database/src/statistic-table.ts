import type { EntityManager } from 'typeorm';
import { isTimeout, RecountTooLongError } from './errors';
import { queryPrepared, runnerOf } from './prepared-query';

/** Rows per key. Each connection writes one of them, so concurrent transactions rarely wait for each other; readers add the rows up. */
const SLOTS = 8;

/** The partner id of the rows with the totals of all partners. */
export const ALL_PARTNERS = '*';

const BUCKET_MINUTES = 15;
/** The time that a row covers. */
export const BUCKET_MS = BUCKET_MINUTES * 60_000;

/**
 * How long one statement may recount. A recount runs two of them in succession: in the other apps, then in partner-gateway. Both together
 * must take less time than the edge waits for an answer.
 */
export const RECOUNT_TIMEOUT_MS = 25_000;
/** Postgres reports its own timeout before the client stops waiting. */
const CLIENT_GRACE_MS = 2_000;

/**
 * Returns the beginning of the quarter of an hour that contains a time. Quarters suit every reader, because time zones differ from UTC by whole
 * quarters of an hour.
 *
 * @param time an SQL expression
 */
export const bucketOf = (time: string): string => `date_bin('${BUCKET_MINUTES} minutes', ${time}, timestamptz 'epoch')`;

/** Returns the rows in which something of a partner counts: its own, and that of all partners together. @param partnerId an SQL expression */
export const countedFor = (partnerId: string): string =>
  `(values (${partnerId}), ('${ALL_PARTNERS}')) as counted (partner_id)`;

/** The statements that recount a table, see {@link recountStatistics}. */
export interface RecountStatements {
  readonly table: string;
  readonly partner: string;
  readonly all: string;
}

/**
 * Generates the statements for a table of counters, which are updated in the transactions of what they count: see docs/decisions/0032.
 * The primary key of the table consists of the key columns and `slot`; every counter is `not null`.
 */
export class StatisticTable {
  private readonly target: string;
  private readonly onConflict: string;

  /**
   * @param key the columns that identify what a row counts, among them `partner_id`
   * @param counters the columns that are added up
   */
  constructor(
    private readonly name: string,
    private readonly key: readonly string[],
    private readonly counters: readonly string[],
  ) {
    this.target = `${name} as s (${[...key, 'slot', ...counters].join(', ')})`;
    this.onConflict = `on conflict (${[...key, 'slot'].join(', ')}) do update set
      ${this.each((column) => `${column} = s.${column} + excluded.${column}`)}`;
  }

  /**
   * Adds changes to the rows of this connection's slot, in the same order in all transactions.
   *
   * @param changes a select whose columns have the names of the key and the counters; one row for each key
   */
  add(changes: string): string {
    return `
      insert into ${this.target}
      select ${this.keys}, pg_backend_pid() % ${SLOTS}, ${this.each((column) => column)}
        from (${changes}) as change
       order by ${this.keys}
      ${this.onConflict}`;
  }

  /**
   * Returns the statements that recount a partner and all partners together.
   *
   * @param truth selects the true counters of a partner, with the columns of `changes` of {@link add}
   * @param condition selects the stored rows to compare
   * @param changed expressions for the key columns that the rows of all partners do not distinguish
   */
  recounts(truth: string, condition: string, changed?: Readonly<Record<string, string>>): RecountStatements {
    return { table: this.name, partner: this.recount(truth, condition), all: this.recountAll(changed) };
  }

  /**
   * Compares the stored counters with the true ones in one snapshot, and adds the differences. The statement returns a row for each difference.
   * It needs no lock, because additions commute with those of other transactions.
   */
  private recount(truth: string, condition: string): string {
    return `
      with truth as (${truth}),
      stored as (
        select ${this.keys}, ${this.each((column) => `sum(${column}) as ${column}`)}
          from ${this.name} where ${condition} group by ${this.keys}),
      difference as (
        select ${this.keys}, ${this.each((column) => `coalesce(t.${column}, 0) - coalesce(o.${column}, 0) as ${column}`)}
          from truth t full join stored o using (${this.keys}))
      ${this.add(`select * from difference where (${this.each((column) => column)}) <> (${this.each(() => '0')})`)}
      returning 1`;
  }

  private recountAll(changed: Readonly<Record<string, string>> = {}): string {
    const fixed: Readonly<Record<string, string>> = { partner_id: `'${ALL_PARTNERS}'::text`, ...changed };
    const truth = `
      select ${this.key.map((column) => `${fixed[column] ?? column} as ${column}`).join(', ')},
        ${this.each((column) => `sum(${column}) as ${column}`)}
      from ${this.name} where partner_id <> '${ALL_PARTNERS}'
      group by ${this.key.map((_, index) => index + 1).join(', ')}`;
    return this.recount(truth, `partner_id = '${ALL_PARTNERS}'`);
  }

  private get keys(): string {
    return this.key.join(', ');
  }

  private each(of: (column: string) => string): string {
    return this.counters.map(of).join(', ');
  }
}

/**
 * Recounts a table within a transaction, and corrects it.
 *
 * @param values the parameters for one partner; null recounts the rows of all partners together
 * @returns the number of corrected rows
 * @throws RecountTooLongError
 */
export async function recountStatistics(
  manager: EntityManager,
  { table, partner, all }: RecountStatements,
  values: unknown[] | null,
): Promise<number> {
  const [name, text] = values === null ? [`${table}-recount-all`, all] : [`${table}-recount`, partner];
  const options = { timeoutMs: RECOUNT_TIMEOUT_MS + CLIENT_GRACE_MS };
  await manager.query(`set local statement_timeout = ${RECOUNT_TIMEOUT_MS}`);
  try {
    return (await queryPrepared(runnerOf(manager), name, text, values ?? [], options)).length;
  } catch (error) {
    throw isTimeout(error) ? new RecountTooLongError(RECOUNT_TIMEOUT_MS, { cause: error }) : error;
  }
}
