/**
 * Returns the quantile for a share (0–1) by the nearest-rank method: the smallest value for which at least this share
 * of all values is less than or equal to it.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

/** Returns the median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
