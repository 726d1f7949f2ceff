import type { IHeaders } from 'kafkajs';

/**
 * Returns the values of each header. A value can be null, although kafkajs's types do not allow it. For a header named
 * like an inherited property, such as `constructor`, kafkajs puts the inherited value first; this function leaves that
 * value out.
 */
export function headersOf(headers: IHeaders | undefined): [string, (Buffer | null)[]][] {
  return Object.entries(headers ?? {}).map(([name, values]) => {
    const all: unknown[] = Array.isArray(values) ? values : [values];
    return [name, all.filter((value): value is Buffer | null => value === null || Buffer.isBuffer(value))];
  });
}
