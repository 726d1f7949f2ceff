import { isMoreThanZero, withTwoDecimals } from './money.rules';

describe('withTwoDecimals', () => {
  it.each([
    ['5', '5.00'],
    ['49.9', '49.90'],
    ['49.95', '49.95'],
    ['0', '0.00'],
    ['000.5', '0.50'],
    ['007', '7.00'],
    ['999999999999.99', '999999999999.99'],
    ['1.10', '1.10'],
  ])('converts %s to %s [postback-body.price]', (amount, written) => {
    expect(withTwoDecimals(amount)).toBe(written);
  });
});

describe('isMoreThanZero', () => {
  it.each([
    ['0', false],
    ['0.00', false],
    ['000', false],
    ['0.01', true],
    ['10', true],
  ])('for the amount %s, returns %s [sales.total]', (amount, more) => {
    expect(isMoreThanZero(amount)).toBe(more);
  });
});
