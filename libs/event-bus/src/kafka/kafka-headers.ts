import type { IHeaders } from 'kafkajs';

/**
 * The values of each header. A value can be null, which kafkajs's types do not say, and under a name that objects inherit
 * (`constructor`) kafkajs puts what is inherited before the value.
 */
export function headersOf(headers: IHeaders | undefined): [string, (Buffer | null)[]][] {
  return Object.entries(headers ?? {}).map(([name, values]) => {
    const all: unknown[] = Array.isArray(values) ? values : [values];
    return [name, all.filter((value): value is Buffer | null => value === null || Buffer.isBuffer(value))];
  });
}
