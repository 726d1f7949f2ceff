/**
 * The number of rows per key. Each connection writes one of these rows, so concurrent transactions rarely wait for each other;
 * readers add the rows up.
 */
const SLOTS = 8;

/** The partner id of the rows with the totals of all partners. */
export const ALL_PARTNERS = '*';

/**
 * Returns the beginning of the quarter of an hour that contains a time. Quarters suit every reader, because time zones differ from UTC by whole
 * quarters of an hour.
 *
 * @param time an SQL expression
 */
export const bucketOf = (time: string): string => `date_bin('15 minutes', ${time}, timestamptz 'epoch')`;

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
   * Compares the stored counters with the true counters in one snapshot, and adds the differences. The statement returns a row for
   * each difference. It needs no lock, because additions commute with those of other transactions.
   *
   * @param truth selects the true counters, with the columns of `changes` of {@link add}
   * @param condition selects the stored rows to compare
   */
  recount(truth: string, condition: string): string {
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

  /** Recomputes the totals of all partners. @param changed expressions for the key columns that the totals do not distinguish */
  recountAll(changed: Readonly<Record<string, string>> = {}): string {
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
