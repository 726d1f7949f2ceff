/** The options other than the suite, its parts and their rounds. */
export interface Settings {
  /** partner: the number of coupons in the large table. */
  readonly codes: number;
  /** scale: the number of sales, deliveries and inbox rows in the large database. */
  readonly rows: number;
  /** chain, scale: the number of sales in a flood. */
  readonly sales: number;
  /** chain, identity, ingest, discovery: the folder for a CPU profile of each app under one more load; null: no profiles. */
  readonly profile: string | null;
}
