import { type Fate, isReached, judgeIdentity } from './verdict';

const CODES = [
  'IDENTITY_MONITORING',
  'DATA_REMOVAL',
  'CREDIT_SCORE',
  'CREDIT_MONITORING',
  'NEIGHBORHOOD_WATCH',
  'FINANCIAL_ACCOUNTS',
  'TITLE_MONITORING',
];
const user = (fate: Fate) => ({ krn: 'krn:a', arrayUserId: 'a', fate, hasOpenCreate: true });
const atVendor = (active: string[], cancelled: string[] = []) => ({
  clientKey: 'a',
  enrollments: [
    ...active.map((productCode) => ({ productCode, status: 'active' })),
    ...cancelled.map((productCode) => ({ productCode, status: 'cancelled' })),
  ],
});
const judge = (fate: Fate, vendor: object[], others: string[] = [], returned: string[] = []) =>
  judgeIdentity(
    { finished: [user(fate)], abandoned: [], others: new Set(others), returned: new Set(returned) },
    vendor as never,
  );

describe('judgeIdentity', () => {
  it.each([
    ['keeps', [atVendor(CODES)]],
    ['refunded', [atVendor([], CODES)]],
    ['deleted', []],
  ] as const)('finds nothing for a user with the fate “%s” when the vendor has the wanted state', (fate, vendor) => {
    expect(isReached(judge(fate, [...vendor]))).toBe(true);
  });

  it.each([
    ['an enrollment that is missing', 'keeps', [atVendor(CODES.slice(1))], 'unreached'],
    ['a cancelled enrollment', 'keeps', [atVendor(CODES.slice(1), CODES.slice(0, 1))], 'unreached'],
    ['a user that the vendor does not have', 'keeps', [], 'unreached'],
    ['an enrollment that is active after a refund', 'refunded', [atVendor(CODES.slice(1))], 'unreached'],
    ['a deleted user that the vendor still has', 'deleted', [atVendor(CODES)], 'orphans'],
    ['a user of the vendor that nobody created', 'deleted', [{ ...atVendor([]), clientKey: 'b' }], 'orphans'],
  ] as const)('finds %s', (_name, fate, vendor, list) => {
    const verdict = judge(fate, [...vendor]);
    expect(verdict[list]).toHaveLength(1);
    expect(isReached(verdict)).toBe(false);
  });

  it('counts a deleted user at the vendor as an orphan unless the user has a profile again', () => {
    expect(judge('deleted', [atVendor(CODES)], [], ['krn:a']).orphans).toEqual([]);
    expect(judge('deleted', [atVendor(CODES)], [], ['krn:b']).orphans).toEqual(['a']);
  });

  it('does not count a user from before the run as an orphan', () => {
    expect(judge('deleted', [{ ...atVendor([]), clientKey: 'b' }], ['b']).orphans).toEqual([]);
  });
});
