import { type FirstAttemptFigures, LATENCY_BOUNDS_MS, SLOWEST_MS } from '@tandem/internal-api';

/** The number of first attempts, their total latency, and their distribution over the latency classes. */
export interface FirstAttempts {
  readonly count: number;
  readonly totalMs: number;
  /**
   * The number of attempts in each latency class, fastest class first. A class ends at a bound of LATENCY_BOUNDS_MS; the last class
   * contains all slower attempts.
   */
  readonly classes: readonly number[];
}

const SHARE = 0.95;

/**
 * Returns the rounded average latency, and the bound of the latency class that contains the 95th percentile: SLOWEST_MS for the last class.
 * Both are null if there was no first attempt.
 */
export function firstAttemptFigures({ count, totalMs, classes }: FirstAttempts): FirstAttemptFigures {
  if (count === 0) return { averageMs: null, p95Ms: null };
  let within = 0;
  const index = classes.findIndex((one) => (within += one) >= SHARE * count);
  return { averageMs: Math.round(totalMs / count), p95Ms: LATENCY_BOUNDS_MS[index] ?? SLOWEST_MS };
}
