/**
 * Returns the quantile of a share (0–1) by the nearest rank: the smallest of the values that is at least as large as
 * this share of them.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

/** Returns the median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
