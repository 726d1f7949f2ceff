import { type FirstAttemptFigures, LATENCY_BOUNDS_MS, SLOWEST_MS } from '@tandem/internal-api';

/** First attempts, added up. */
export interface FirstAttempts {
  readonly count: number;
  readonly totalMs: number;
  /** How many were in each class of latency, the fastest first; the last class is that of all slower ones. */
  readonly classes: readonly number[];
}

const SHARE = 0.95;

/** The average is rounded; the percentile is the bound of the class that it is in. */
export function firstAttemptFigures({ count, totalMs, classes }: FirstAttempts): FirstAttemptFigures {
  if (count === 0) return { averageMs: null, p95Ms: null };
  let within = 0;
  const index = classes.findIndex((one) => (within += one) >= SHARE * count);
  return { averageMs: Math.round(totalMs / count), p95Ms: LATENCY_BOUNDS_MS[index] ?? SLOWEST_MS };
}
