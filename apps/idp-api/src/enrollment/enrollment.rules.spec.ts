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
  it('is not changed while the vendor’s state equals the wanted state', () => {
    expect(decide(facts())).toEqual([]);
  });

  it.each<[string, Partial<EnrollmentFacts>, object]>([
    [
      'is created when it is granted and not stored yet',
      { current: [identity], actual: without },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll' },
    ],
    [
      'is created when it is wanted but not active in our row, even if the vendor shows it',
      { current: [identity, row({ active: false })] },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is created again when it is missing at the second check and the vendor reported no end',
      { actual: without },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is checked again when it is missing at the first check and the vendor reported no end',
      { actual: without, isSecondLook: false },
      { wanted: true, active: true, reason: 'enrolled', call: null, byVendor: true },
    ],
    [
      'counts as ended when it is missing and the vendor reported its end',
      { actual: without, endedCodes: ['CREDIT_SCORE'] },
      { wanted: false, active: false, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'is created again when it is missing and an earlier call of ours may have caused the reported end',
      { actual: without, endedCodes: ['CREDIT_SCORE'], isSettled: false },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is created when we ended it and it is granted again, even if the vendor shows it',
      { current: [identity, row({ wanted: false, reason: 'entitlement_lost' })], endedCodes: ['CREDIT_SCORE'] },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'is created again when the vendor reported its end and the user requests it',
      { actual: without, endedCodes: ['CREDIT_SCORE'], asked: 'enrolled' },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'counts as active when the vendor ended it but shows it again, because the vendor withdrew the end',
      { current: [identity, ended] },
      { wanted: true, active: true, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'is created again when the vendor ended it and it is requested, even if the vendor shows it',
      { current: [identity, ended], asked: 'support' },
      { wanted: true, active: true, reason: 'support', call: 'enroll', byVendor: false },
    ],
    [
      'is ended when it is no longer granted, even if the vendor does not show it',
      { entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE }, actual: without },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'is ended with the reason entitlement_lost when it is no longer granted but the vendor shows it again',
      {
        current: [identity, ended],
        entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE },
      },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'is ended with the reason plan_change when a change of plan takes it away',
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
      'is created with the reason plan_change when a change of plan grants it',
      {
        current: [identity],
        actual: without,
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'plan_change', call: 'enroll' },
    ],
    [
      'is created with the reason plan_change when a change of plan grants it and a purchase requests it',
      {
        current: [identity],
        actual: without,
        asked: 'sync',
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'plan_change', call: 'enroll' },
    ],
    [
      'is created with the reason support when a change of plan grants it and support requests it',
      {
        current: [identity],
        actual: without,
        asked: 'support',
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'support', call: 'enroll' },
    ],
  ])('%s', (_name, change, expected) => {
    const decisions = decide(facts(change)).filter(({ code }) => code === 'CREDIT_SCORE');
    expect(decisions).toEqual([expect.objectContaining(expected)]);
  });

  it('is not changed when the vendor ended it, does not show it, and nobody requests it', () => {
    expect(decide(facts({ current: [identity, ended], actual: without, endedCodes: ['CREDIT_SCORE'] }))).toEqual([]);
  });

  it('is ended when the vendor shows it although it is not granted and was never wanted', () => {
    const actual = new Set(['IDENTITY_MONITORING', 'CREDIT_SCORE', 'TITLE_MONITORING'] as const);
    expect(decide(facts({ actual }))).toEqual([
      expect.objectContaining({ code: 'TITLE_MONITORING', wanted: false, call: 'unenroll' }),
    ]);
  });

  it('is created when it is requested, even if the vendor shows it, because a report of its end may still arrive', () => {
    expect(decide(facts({ asked: 'sync' })).map(({ code, call }) => [code, call])).toEqual([
      ['IDENTITY_MONITORING', 'enroll'],
      ['CREDIT_SCORE', 'enroll'],
    ]);
  });
});
