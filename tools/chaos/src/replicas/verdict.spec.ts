import type { Verdict } from '../verdict';
import { isUnnoticed, mishapsOf, type RollingVerdict } from './verdict';

const SALES: Verdict = {
  accepted: 3,
  sales: 3,
  postbacks: 3,
  repeatedRequests: 0,
  lostSales: [],
  lostPostbacks: [],
  actedOnTwice: [],
  unknown: [],
};
const CLEAN: RollingVerdict = {
  sales: SALES,
  failures: [],
  coupons: { expected: 9, found: 9 },
  deadLetters: 0,
  crashes: 0,
  killed: 0,
};

describe('the verdict of a rolling restart', () => {
  it('is good when no request failed, and nothing is lost or exists twice', () => {
    expect(isUnnoticed(CLEAN)).toBe(true);
  });

  it.each<[string, Partial<RollingVerdict>]>([
    ['a request failed', { failures: ['profile: 503'] }],
    ['a postback was sent twice', { sales: { ...SALES, repeatedRequests: 1 } }],
    ['a sale is lost', { sales: { ...SALES, lostSales: ['oid'] } }],
    ['a coupon exists that no answer contained', { coupons: { expected: 9, found: 10 } }],
    ['a coupon from an answer is missing', { coupons: { expected: 9, found: 8 } }],
    ['there is a dead letter', { deadLetters: 1 }],
    ['a replica crashed', { crashes: 1 }],
    ['a replica had to be killed', { killed: 1 }],
  ])('is bad when %s', (_, change) => {
    const verdict = { ...CLEAN, ...change };
    expect(isUnnoticed(verdict)).toBe(false);
    expect(mishapsOf(verdict).filter(([, count]) => count > 0)).toHaveLength(1);
  });
});
