import { couponHash, normaliseCouponCode } from './coupon-code';

const KEY = Buffer.alloc(32, 1);
const CODE = 'ABCDEFGHJKLMNPQR';

describe('a coupon code', () => {
  it.each([CODE, 'ABCD-EFGH-JKLM-NPQR', 'abcd-efgh-jklm-npqr', ' ABCD-EFGH-JKLM-NPQR\n', '-ABC-DEFGHJKLMNPQR-'])(
    '%j is stored without hyphens, in capitals',
    (typed) => {
      expect(normaliseCouponCode(typed)).toBe(CODE);
      expect(couponHash(typed, KEY)).toBe(couponHash(CODE, KEY));
    },
  );

  it.each([
    '',
    'ABCD',
    'ABCDEFGHJKLMNPQ1',
    'ABCDEFGHJKLMNPQRS',
    'ABCD EFGH JKLM NPQR',
    'ﬀﬀﬀﬀﬀﬀﬀﬀ',
    'ABCDEFGHJKLMNPQ\0',
  ])('%j cannot be a code, and has its own hash', (typed) => {
    expect(normaliseCouponCode(typed)).toBeNull();
    expect(couponHash(typed, KEY)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not get the hash of another code when foreign letters are capitalised', () => {
    expect('ﬀﬀﬀﬀﬀﬀﬀﬀ'.toUpperCase()).toBe('F'.repeat(16));
    expect(couponHash('ﬀﬀﬀﬀﬀﬀﬀﬀ', KEY)).not.toBe(couponHash('F'.repeat(16), KEY));
  });

  it('has another hash under another key', () => {
    expect(couponHash(CODE, Buffer.alloc(32, 2))).not.toBe(couponHash(CODE, KEY));
  });
});
