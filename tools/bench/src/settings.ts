/** The options other than the suite, its parts and their rounds. */
export interface Settings {
  /** partner: coupons of the large table. */
  readonly codes: number;
  /** scale: sales, deliveries and inbox rows of the large database. */
  readonly rows: number;
  /** chain, scale: sales of a flood. */
  readonly sales: number;
  /** chain, identity, ingest, discovery: the folder that gets a CPU profile of each app over one more load; null: none. */
  readonly profile: string | null;
}
