/** A part of a suite. Each part is measured separately. */
export interface Part {
  readonly letter: string;
  readonly title: string;
  /** The number of times that the part is measured if --rounds is omitted. */
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
   * For suites chain, identity, ingest and discovery: the folder for CPU profiles. If it is not null, the suite does
   * one more run, in which each app writes a profile to this folder.
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

/**
 * Parses the command-line arguments of `npm run bench`.
 * @throws TypeError with a message for the user when an argument is invalid
 */
export function readOptions(argv: string[]): BenchOptions | 'help';
