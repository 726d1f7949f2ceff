import type { Duplex } from 'node:stream';
import { stringify } from 'csv-stringify';

/**
 * Returns a stream that writes rows as CSV in UTF-8, with a header line. A cell that a spreadsheet would read as a formula begins with `'`.
 *
 * @param columns the fields of a row, in order
 */
export const csvOf = (columns: readonly string[]): Duplex =>
  stringify({
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { date: (date) => date.toISOString() },
  });
