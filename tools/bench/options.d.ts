/** A part of a suite, which is measured by itself. */
export interface Part {
  readonly letter: string;
  readonly title: string;
  /** How often the part is measured, unless --rounds says otherwise. */
  readonly rounds: number;
}

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

export interface BenchOptions {
  readonly suite: string;
  readonly parts: readonly Part[];
  readonly rounds: number | null;
  readonly settings: Settings;
}

export const USAGE: string;

/** Parses the arguments. @throws TypeError with a message for people when they are wrong */
export function readOptions(argv: string[]): BenchOptions | 'help';
