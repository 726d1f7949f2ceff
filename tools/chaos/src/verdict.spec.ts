import { isClean, judge } from './verdict';

const bought = (oid: string) => ({ oid, acceptedAt: 1, tries: 1 });
const sold = (oid: string, sales = 1, state = 'qualified') => ({ oid, state, sales });
const arrived = (oid: string, ...ids: string[]): [string, never] =>
  [oid, { webhookIds: new Set(ids), requests: ids.length, firstAt: 1, lastAt: 1 }] as [string, never];

describe('judge', () => {
  it('is clean when each purchase has its sale and its postback', () => {
    const verdict = judge([bought('a')], [sold('a')], new Map([arrived('a', 'm1')]));
    expect(isClean(verdict)).toBe(true);
    expect(verdict.repeatedRequests).toBe(0);
  });

  it.each([
    ['a lost sale', [bought('a')], [], [arrived('a', 'm1')], 'lostSales'],
    ['a sale that did not qualify', [bought('a')], [sold('a', 1, 'pending')], [arrived('a', 'm1')], 'lostSales'],
    ['a lost postback', [bought('a')], [sold('a')], [], 'lostPostbacks'],
    ['two sales of one purchase', [bought('a')], [sold('a', 2)], [arrived('a', 'm1')], 'actedOnTwice'],
    ['two webhook-ids for one sale', [bought('a')], [sold('a')], [arrived('a', 'm1', 'm2')], 'actedOnTwice'],
    ['a postback without a purchase', [], [], [arrived('b', 'm1')], 'unknown'],
  ] as const)('finds %s', (_, purchases, sales, arrivals, list) => {
    const verdict = judge([...purchases], [...sales], new Map(arrivals));
    expect(verdict[list]).toHaveLength(1);
    expect(isClean(verdict)).toBe(false);
  });
});
