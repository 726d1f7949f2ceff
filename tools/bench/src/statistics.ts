/** Returns the smallest value at or below which the share (0–1) of all values lies (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

/** Returns the middle value. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
