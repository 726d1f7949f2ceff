import type { EntityManager } from 'typeorm';
import { isTimeout, RecountTooLongError } from './errors';
import { queryPrepared, runnerOf } from './prepared-query';

/**
 * Rows per key. Each connection updates one of these rows, so concurrent transactions rarely wait for each other;
 * readers add the rows up.
 */
const SLOTS = 8;

/** The partner id of the rows with the totals of all partners. */
export const ALL_PARTNERS = '*';

const BUCKET_MINUTES = 15;
/** The length of the period whose changes one row counts, ms. */
export const BUCKET_MS = BUCKET_MINUTES * 60_000;

/**
 * Time limit of the recount of one table, including the wait for another recount of the table. A request for a recount
 * can take twice this time: postback-dispatcher and voucher-service recount at the same time, and partner-gateway
 * recounts after them. So the edge must wait for the answer longer than twice this time.
 */
export const RECOUNT_TIMEOUT_MS = 25_000;
/** How much longer than Postgres's own time limit the client waits, so that Postgres reports the timeout first. */
const CLIENT_GRACE_MS = 2_000;

/**
 * Returns an SQL expression for the beginning of the quarter of an hour that contains a time. Rows per quarter of an
 * hour suit readers in every time zone, because time zones differ from UTC by whole quarters of an hour.
 *
 * @param time an SQL expression
 */
export const bucketOf = (time: string): string => `date_bin('${BUCKET_MINUTES} minutes', ${time}, timestamptz 'epoch')`;

/**
 * Returns an SQL table with two partner ids: the partner's own, and `ALL_PARTNERS`. Each change is counted twice: for
 * the partner, and in the totals of all partners.
 *
 * @param partnerId an SQL expression
 */
export const countedFor = (partnerId: string): string =>
  `(values (${partnerId}), ('${ALL_PARTNERS}')) as counted (partner_id)`;

/** The statements that recount a table, see {@link recountStatistics}. */
export interface RecountStatements {
  readonly table: string;
  readonly partner: string;
  readonly all: string;
}

/**
 * Generates the SQL statements for a table of counters. A counter is updated in the transaction that changes the
 * counted rows: see docs/decisions/0032. The primary key of the table consists of the key columns and `slot`; every
 * counter is `not null`.
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
   * Returns a statement that adds changes to the counters, in the rows of the slot that belongs to the connection. All
   * transactions update the rows in the same order.
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
   * Returns the statements that recount one partner, and the totals of all partners.
   *
   * @param truth selects the true counters of a partner, with the columns of `changes` of {@link add}
   * @param condition selects the stored rows to compare
   * @param changed SQL expressions that replace key columns in the totals of all partners, by the name of the column.
   *   Needed for a key column whose values these totals do not distinguish
   */
  recounts(truth: string, condition: string, changed?: Readonly<Record<string, string>>): RecountStatements {
    return { table: this.name, partner: this.recount(truth, condition), all: this.recountAll(changed) };
  }

  /**
   * Returns a statement that compares the stored counters with the true ones in one snapshot, adds the differences, and
   * returns a row for each difference. Transactions that change counted rows can run at the same time, because they
   * and the recount only add to counters. Another recount of the table must not run at the same time, because it would add the same
   * differences again: see {@link recountStatistics}.
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
 * The lock lasts until the transaction ends. A separate statement takes the lock, so that the snapshot of the recount
 * includes the corrections of the recount that held the lock before.
 */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('recount:' || $1::text, 0))`;

/**
 * Recounts a table of counters within a transaction, and corrects the table. Recounts of a table run one after another:
 * two at the same time would both add the same difference.
 *
 * @param values the parameters for one partner; null recounts the totals of all partners from the partners' own rows
 * @returns the number of corrected rows
 * @throws RecountTooLongError when the recount, including its wait for another recount, exceeds RECOUNT_TIMEOUT_MS
 */
export async function recountStatistics(
  manager: EntityManager,
  { table, partner, all }: RecountStatements,
  values: unknown[] | null,
): Promise<number> {
  const [name, text] = values === null ? [`${table}-recount-all`, all] : [`${table}-recount`, partner];
  const runner = runnerOf(manager);
  const from = performance.now();
  const limited = async (query: string, sql: string, parameters: unknown[]): Promise<unknown[]> => {
    const timeoutMs = Math.max(1, Math.ceil(RECOUNT_TIMEOUT_MS - (performance.now() - from)));
    await manager.query(`set local statement_timeout = ${timeoutMs}`);
    return queryPrepared(runner, query, sql, parameters, { timeoutMs: timeoutMs + CLIENT_GRACE_MS });
  };
  try {
    await limited('recount-lock', LOCK, [table]);
    const corrected = await limited(name, text, values ?? []);
    await manager.query(`set local statement_timeout = ${RECOUNT_TIMEOUT_MS}`);
    return corrected.length;
  } catch (error) {
    throw isTimeout(error) ? new RecountTooLongError(RECOUNT_TIMEOUT_MS, { cause: error }) : error;
  }
}
