import { decide, type EnrollmentFacts, type EnrollmentState } from './enrollment.rules';

const HELD = new Set(['idp.identity', 'idp.credit'] as const);
const NONE = new Set<never>();
const row = (change: Partial<EnrollmentState> = {}): EnrollmentState => ({
  code: 'CREDIT_SCORE',
  wanted: true,
  active: true,
  reason: 'enrolled',
  ...change,
});
const identity = row({ code: 'IDENTITY_MONITORING' });
const facts = (change: Partial<EnrollmentFacts> = {}): EnrollmentFacts => ({
  current: [identity, row()],
  version: 0,
  entitled: { held: HELD, givenUp: NONE, brought: NONE },
  asked: null,
  endedCodes: [],
  isSettled: true,
  isSecondLook: true,
  actual: new Set(['IDENTITY_MONITORING', 'CREDIT_SCORE'] as const),
  ...change,
});
const without = new Set(['IDENTITY_MONITORING'] as const);
const ended = row({ wanted: false, active: false, reason: 'vendor' });

describe('an enrollment', () => {
  it('is not changed while the vendor has the wanted state', () => {
    expect(decide(facts())).toEqual([]);
  });

  it.each<[string, Partial<EnrollmentFacts>, object]>([
    [
      'is granted and new: it is enrolled',
      { current: [identity], actual: without },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll' },
    ],
    [
      'was never carried out: it is enrolled, whatever the vendor shows',
      { current: [identity, row({ active: false })] },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is missing, and the vendor reported no end: it is enrolled again',
      { actual: without },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is missing at the first check, and the vendor reported no end yet: it is checked again',
      { actual: without, isSecondLook: false },
      { wanted: true, active: true, reason: 'enrolled', call: null, byVendor: true },
    ],
    [
      'is missing, and the vendor reported its end: it has ended',
      { actual: without, endedCodes: ['CREDIT_SCORE'] },
      { wanted: false, active: false, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'is missing, and its end may come from an earlier call of ours: it is enrolled again',
      { actual: without, endedCodes: ['CREDIT_SCORE'], isSettled: false },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'was being ended here, and is granted again: it is enrolled, whatever the vendor shows',
      { current: [identity, row({ wanted: false, reason: 'entitlement_lost' })], endedCodes: ['CREDIT_SCORE'] },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'is missing, the vendor reported its end, and the user asks for it: it is enrolled again',
      { actual: without, endedCodes: ['CREDIT_SCORE'], asked: 'enrolled' },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'was ended by the vendor, which shows it again: the vendor withdrew the end',
      { current: [identity, ended] },
      { wanted: true, active: true, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'was ended by the vendor, and is requested: it is enrolled, whatever the vendor shows',
      { current: [identity, ended], asked: 'support' },
      { wanted: true, active: true, reason: 'support', call: 'enroll', byVendor: false },
    ],
    [
      'is no longer granted: it is ended, whatever the vendor shows',
      { entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE }, actual: without },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'was ended by the vendor, which has it again, and is no longer granted: the vendor is not the reason',
      {
        current: [identity, ended],
        entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE },
      },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'is dropped by a change of plan: that is the reason',
      {
        entitled: {
          held: new Set(['idp.identity'] as const),
          givenUp: new Set(['idp.credit'] as const),
          brought: NONE,
        },
      },
      { wanted: false, active: false, reason: 'plan_change', call: 'unenroll' },
    ],
    [
      'is brought by a change of plan: that is the reason',
      {
        current: [identity],
        actual: without,
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'plan_change', call: 'enroll' },
    ],
  ])('that %s', (_name, change, expected) => {
    const decisions = decide(facts(change)).filter(({ code }) => code === 'CREDIT_SCORE');
    expect(decisions).toEqual([expect.objectContaining(expected)]);
  });

  it('that was ended by the vendor and is not requested again is not changed', () => {
    expect(decide(facts({ current: [identity, ended], actual: without, endedCodes: ['CREDIT_SCORE'] }))).toEqual([]);
  });

  it('that was never wanted is ended at the vendor', () => {
    const actual = new Set(['IDENTITY_MONITORING', 'CREDIT_SCORE', 'TITLE_MONITORING'] as const);
    expect(decide(facts({ actual }))).toEqual([
      expect.objectContaining({ code: 'TITLE_MONITORING', wanted: false, call: 'unenroll' }),
    ]);
  });

  it('that is requested is enrolled even when nothing differs, because the vendor may have ended it without a report so far', () => {
    expect(decide(facts({ asked: 'sync' })).map(({ code, call }) => [code, call])).toEqual([
      ['IDENTITY_MONITORING', 'enroll'],
      ['CREDIT_SCORE', 'enroll'],
    ]);
  });
});
