/** A measured figure with its target. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly target?: string;
  /** Whether the figure meets its target; false for a failed part; undefined without a target, or if the figure was not measured. */
  readonly met?: boolean;
}

/** Prints the figures as a table. @returns false when a figure misses its target, or a part of the run failed */
export function printReport(figures: readonly Figure[]): boolean {
  const rows = figures.map(({ name, value, target = '', met }) => [
    name,
    value,
    target,
    met === undefined ? '' : met ? 'ok' : 'MISSED',
  ]);
  const table = [['figure', 'measured', 'target', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  console.log();
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
  return figures.every(({ met }) => met !== false);
}

/** Formats milliseconds for people. */
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
