import type { EndedCall } from './client-calls';
import { isExact, judgeCalls, type StoredEffects } from './verdict';

const CALLS: EndedCall[] = [
  { what: 'vouchers', durationMs: 10, attempts: 1, result: ['A', 'B'] },
  { what: 'revoke', durationMs: 900, attempts: 3, result: ['sub_1'] },
];
const STORED: StoredEffects = { codes: ['A', 'B'], revoked: ['sub_1'], revocations: ['sub_1'] };
const [CREATED, REVOKED] = CALLS as [EndedCall, EndedCall];

describe('the verdict on calls by the SDK', () => {
  it('is exact when each call has its effect exactly once', () => {
    const verdict = judgeCalls(CALLS, STORED, 1_000);
    expect([isExact(verdict), verdict.calls, verdict.repeated, verdict.longestMs]).toEqual([true, 2, 1, 900]);
  });

  it.each<[string, EndedCall[], Partial<StoredEffects>]>([
    ['a failed call', [...CALLS, { what: 'vouchers', durationMs: 1, attempts: 1, error: 'x' }], {}],
    ['a call that hung', [CREATED, { ...REVOKED, durationMs: 1_001 }], {}],
    ['a lost voucher', CALLS, { codes: ['A'] }],
    ['a voucher that no call returned', CALLS, { codes: ['A', 'B', 'C'] }],
    ['the same vouchers for two calls', [...CALLS, CREATED], {}],
    ['a lost revocation', CALLS, { revoked: [] }],
    ['a revocation that no call returned', CALLS, { revoked: ['sub_1', 'sub_2'] }],
    ['a lost event', CALLS, { revocations: [] }],
    ['a second event', CALLS, { revocations: ['sub_1', 'sub_1'] }],
  ])('is not exact with %s', (_name, calls, stored) => {
    expect(isExact(judgeCalls(calls, { ...STORED, ...stored }, 1_000))).toBe(false);
  });
});
