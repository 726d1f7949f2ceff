import { normaliseCouponCode } from '@tandem/contracts';
import { CouponCodes, shownCode } from './coupon-code';

describe('coupon codes', () => {
  const codes = new CouponCodes().draw(10_000);

  it('have 16 symbols, and each symbol of the alphabet is equally likely [vouchers.code-form, vouchers.code-random]', () => {
    const counts = new Map<string, number>();
    for (const symbol of codes.join('')) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe('23456789ABCDEFGHJKLMNPQRSTUVWXYZ');
    // Each of the 32 symbols is expected 5,000 times among 160,000 random symbols. The limit of 700 is ten standard deviations, so random
    // codes practically never exceed the limit.
    for (const count of counts.values()) expect(Math.abs(count - 5000)).toBeLessThan(700);
    expect(codes.every((code) => code.length === 16)).toBe(true);
  });

  it('are shown in groups of four, and are recognized without hyphens, in lower case or with spaces around them [vouchers.code-match]', () => {
    const [code = ''] = codes;
    const shown = shownCode(code);
    expect(shown).toMatch(/^.{4}-.{4}-.{4}-.{4}$/);
    for (const typed of [shown, code, shown.toLowerCase(), ` ${shown} `]) expect(normaliseCouponCode(typed)).toBe(code);
  });
});
