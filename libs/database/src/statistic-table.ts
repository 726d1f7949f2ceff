/** Rows of one key. Each connection writes one of them, so that concurrent transactions seldom wait for each other; readers add the rows up. */
const SLOTS = 8;

/** The partner of the rows that count all partners together. */
export const ALL_PARTNERS = '*';

/** The beginning of the quarter of an hour that a time belongs to. Time zones differ from UTC by whole quarters of an hour. @param time an expression */
export const bucketOf = (time: string): string => `date_bin('15 minutes', ${time}, timestamptz 'epoch')`;

/**
 * The statements of a table of counters that are written in the transactions of what they count: see docs/decisions/0032.
 * The table's primary key is the key and `slot`; every counter is `not null`.
 */
export class StatisticTable {
  private readonly target: string;
  private readonly onConflict: string;

  /**
   * @param key columns that say what a row counts; `partner_id` is one of them
   * @param counters columns that are added up
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
   * Adds changes to the rows of this connection's slot, in an order that is the same for all transactions.
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
   * Compares what is stored with what is, in one snapshot, and adds the differences; returns a row for each. It needs no lock,
   * because additions commute with those of other transactions.
   *
   * @param truth a select like that of `add`
   * @param condition selects the stored rows that are compared
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

  /** Adds up the rows of all partners again. @param changed columns of the key that these rows do not tell apart: their expressions */
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
