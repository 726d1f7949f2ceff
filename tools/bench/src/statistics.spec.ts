import { median, quantile } from './statistics';

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [0.5, 50],
    [0.95, 95],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('returns the value at the nearest rank for the share %d', (share, expected) =>
    expect(quantile(hundred, share)).toBe(expected),
  );

  it('returns NaN for an empty list', () => expect(quantile([], 0.5)).toBeNaN());
  it('accepts values in any order', () => expect(median([9, 1, 5])).toBe(5));
});
