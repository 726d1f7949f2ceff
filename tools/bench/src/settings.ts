/** The options of a run, except the suite, its parts and the number of rounds. */
export interface Settings {
  /** For suite partner: the number of coupons in the large table. */
  readonly codes: number;
  /** For suite scale: the number of sales, deliveries and inbox rows in the large database. */
  readonly rows: number;
  /** For suites chain and scale: the number of sales in a flood. */
  readonly sales: number;
  /**
   * For suites chain, identity, ingest and discovery: the folder for a CPU profile of each app during one more run;
   * null: no profiles.
   */
  readonly profile: string | null;
}
