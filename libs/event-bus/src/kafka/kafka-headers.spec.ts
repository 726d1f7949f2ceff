import type { IHeaders } from 'kafkajs';
import { headersOf } from './kafka-headers';

describe('headersOf', () => {
  it('returns repeated headers, headers without a value, and headers that are named like an inherited property', () => {
    const [one, two] = [Buffer.from('1'), Buffer.from('2')];
    const headers = { single: one, repeated: [one, two], empty: null, constructor: [Object, one] };
    expect(headersOf(headers as unknown as IHeaders)).toEqual([
      ['single', [one]],
      ['repeated', [one, two]],
      ['empty', [null]],
      ['constructor', [one]],
    ]);
    expect(headersOf(undefined)).toEqual([]);
  });
});
