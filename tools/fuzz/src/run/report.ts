import type { Finding, Tally } from '../hostile/findings';
import type { MemoryTrend } from './memory';
import type { FuzzOptions } from '../../options';

const HEADER = ['requests', 'sent', '2xx', '3xx', '4xx', '5xx', 'closed', 'longest ms'];

/** Returns rows as a Markdown table whose columns are aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const [header = [], ...others] = rows;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(Math.max(1, width - 1))}:`)).join(' | ')} |`;
  return [line(header), rule, ...others.map(line)].join('\n');
}

export const requestTable = (tally: Tally): string => table([HEADER, ...tally.table()]);

/** Explains durations above the limit, which are not findings by themselves. Returns an empty text when there are none. */
export const durationNote = (tally: Tally, { limitMs }: Pick<FuzzOptions, 'limitMs'>): string =>
  tally.longestMs > limitMs
    ? `longest ms: also counts the time in which this program or the machine stood still, and several answers on one connection;
the limit of ${limitMs} ms for an answer does not count it. A request over the limit is a finding, and is listed below.\n`
    : '';

export const memoryTable = (trends: readonly MemoryTrend[]): string =>
  table([
    ['memory, MB', 'heap before', 'heap after', 'resident before', 'resident after', 'grows'],
    ...trends.map(({ name, rss, heapUsed, grows }) => [
      name,
      ...[...heapUsed, ...rss].map(String),
      grows ? 'yes' : 'no',
    ]),
  ]);

/** Describes a finding, with the command that repeats it. */
export function describeFinding(
  { source, operation, complaint, shown, count, operations }: Finding,
  { seed, requests, concurrency }: FuzzOptions,
): string {
  const [, sequence] = /^sequence: (.*)/.exec(source) ?? [];
  const times = `${count} times${operations > 1 ? ` in ${operations} operations` : ''}`;
  return [
    `${source}: ${operation} ${complaint} (${times})`,
    `    ${shown}`,
    `    npm run fuzz -- --seed ${seed} --requests ${requests} --concurrency ${concurrency} --only '${sequence ?? operation}'`,
  ].join('\n');
}
