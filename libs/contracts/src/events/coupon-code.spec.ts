import { couponHash, normaliseCouponCode } from './coupon-code';

const KEY = Buffer.alloc(32, 1);
const CODE = 'ABCDEFGHJKLMNPQR';

describe('a coupon code', () => {
  it.each([CODE, 'ABCD-EFGH-JKLM-NPQR', 'abcd-efgh-jklm-npqr', ' ABCD-EFGH-JKLM-NPQR\n', '-ABC-DEFGHJKLMNPQR-'])(
    '%j is stored in upper case without hyphens, and has the hash of that form',
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
  ])('%j is not a valid code, but still has a hash', (typed) => {
    expect(normaliseCouponCode(typed)).toBeNull();
    expect(couponHash(typed, KEY)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('typed with ligatures does not have the hash of the letters that these become in upper case', () => {
    expect('ﬀﬀﬀﬀﬀﬀﬀﬀ'.toUpperCase()).toBe('F'.repeat(16));
    expect(couponHash('ﬀﬀﬀﬀﬀﬀﬀﬀ', KEY)).not.toBe(couponHash('F'.repeat(16), KEY));
  });

  it('has a different hash with a different key', () => {
    expect(couponHash(CODE, Buffer.alloc(32, 2))).not.toBe(couponHash(CODE, KEY));
  });
});
