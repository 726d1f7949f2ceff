export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly concurrency: number;
  /** The time limit for the answer to a request, ms. */
  readonly limitMs: number;
  /** The name of an operation or of a sequence; undefined: all. */
  readonly only: string | undefined;
}

export const USAGE: string;

/**
 * Parses the arguments.
 * @throws TypeError with a message for people when an option is unknown or given twice, or a number is not whole or out of range
 */
export function readOptions(argv: string[]): FuzzOptions | 'help';
