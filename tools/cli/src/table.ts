/** Matches ids. In a terminal, a column with ids is not made narrower, because the next command needs whole ids. */
const IDENTIFIER = /^([a-z]{2,8}_\S{8,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The minimum width to which a column without ids can be made narrower. */
const NARROW = 8;
/** The maximum width of a cell when no terminal limits the table. */
const WIDE = 60;
const GAP = 2;

/** Formats a value of an answer as text. */
export function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.map(show).join(value.every((entry) => typeof entry === 'string') ? ',' : '; ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${show(inner)}`)
    .join(', ');
}

/**
 * Formats rows so that no line is wider than the terminal. Long values are cut; an id is cut only when it does not fit in a line
 * next to the longest name of a column. When the columns do not fit next to each other, each row becomes a separate block.
 *
 * @param items at least one
 * @param columns the width of the terminal in characters; undefined when there is none
 */
export function table(items: readonly Record<string, unknown>[], columns: number | undefined): string {
  const names = [...new Set(items.flatMap(Object.keys))].filter((name) => items.some((item) => item[name] != null));
  const rows = items.map((item) => names.map((name) => show(item[name])));
  const widths = widthsOf(names, rows, columns);
  if (!widths) return rows.map((row) => block(names, row, columns)).join('\n\n');
  return [names, ...rows].map((row) => joined(row, widths)).join('\n');
}

/** Returns the widths of the columns; undefined when the columns do not fit next to each other. */
function widthsOf(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): number[] | undefined {
  const cells = names.map((name, index) => [name, ...rows.map((row) => row[index] ?? '')]);
  const wanted = cells.map((column) => Math.max(...column.map((cell) => cell.length)));
  if (columns === undefined) return wanted.map((width) => Math.min(width, WIDE));
  const least = cells.map((column, index) =>
    column.some((cell) => IDENTIFIER.test(cell)) ? (wanted[index] ?? 0) : Math.min(wanted[index] ?? 0, NARROW),
  );
  const widths = [...wanted];
  const spare = (): number => columns - GAP * (names.length - 1) - widths.reduce((sum, width) => sum + width, 0);
  while (spare() < 0) {
    const shrinkable = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = shrinkable.indexOf(Math.max(...shrinkable));
    const width = shrinkable[widest] ?? 0;
    if (width === 0) return undefined;
    widths[widest] = width - 1;
  }
  return widths;
}

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(width - 1, 0))}…` : text;

const joined = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, index) => cut(cell, widths[index] ?? 0).padEnd(widths[index] ?? 0))
    .join(' '.repeat(GAP))
    .trimEnd();

function block(names: readonly string[], row: readonly string[], columns = Infinity): string {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name, index) => cut(`${name.padEnd(width)}  ${row[index]}`, columns)).join('\n');
}
