import type { Duplex } from 'node:stream';
import { stringify } from 'csv-stringify';

/**
 * Returns a stream that converts rows to CSV in UTF-8, with a header line. In a cell that a spreadsheet would read as a formula, the text
 * is prefixed with `'`.
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
