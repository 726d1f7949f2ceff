import { median, quantile } from './statistics';

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [0.5, 50],
    [0.95, 95],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('is the nearest rank for %d', (share, expected) => expect(quantile(hundred, share)).toBe(expected));

  it('of no values is NaN', () => expect(quantile([], 0.5)).toBeNaN());
  it('does not need sorted values', () => expect(median([9, 1, 5])).toBe(5));
});
