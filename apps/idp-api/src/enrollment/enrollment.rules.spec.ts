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
      'is granted and new is created',
      { current: [identity], actual: without },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll' },
    ],
    [
      'is wanted, but is not active in our row, is created, even if the vendor shows it',
      { current: [identity, row({ active: false })] },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is missing at the second check, without a reported end, is created again',
      { actual: without },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'is missing at the first check, without a reported end, is checked again',
      { actual: without, isSecondLook: false },
      { wanted: true, active: true, reason: 'enrolled', call: null, byVendor: true },
    ],
    [
      'is missing, with a reported end, has ended',
      { actual: without, endedCodes: ['CREDIT_SCORE'] },
      { wanted: false, active: false, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'is missing, with a reported end that may result from an earlier call of ours, is created again',
      { actual: without, endedCodes: ['CREDIT_SCORE'], isSettled: false },
      { wanted: true, active: true, call: 'enroll', byVendor: false },
    ],
    [
      'we ended, and that is granted again, is created, even if the vendor shows it',
      { current: [identity, row({ wanted: false, reason: 'entitlement_lost' })], endedCodes: ['CREDIT_SCORE'] },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'is missing, with a reported end, is created again when the user requests it',
      { actual: without, endedCodes: ['CREDIT_SCORE'], asked: 'enrolled' },
      { wanted: true, active: true, reason: 'enrolled', call: 'enroll', byVendor: false },
    ],
    [
      'was ended by the vendor, but is shown again, counts as active, because the vendor withdrew the end',
      { current: [identity, ended] },
      { wanted: true, active: true, reason: 'vendor', call: null, byVendor: true },
    ],
    [
      'was ended by the vendor is created again when it is requested, even if the vendor shows it',
      { current: [identity, ended], asked: 'support' },
      { wanted: true, active: true, reason: 'support', call: 'enroll', byVendor: false },
    ],
    [
      'is no longer granted is ended, even if the vendor does not show it',
      { entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE }, actual: without },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'the vendor ended, but shows again, and that is no longer granted, ends for lack of the entitlement',
      {
        current: [identity, ended],
        entitled: { held: new Set(['idp.identity'] as const), givenUp: NONE, brought: NONE },
      },
      { wanted: false, active: false, reason: 'entitlement_lost', call: 'unenroll' },
    ],
    [
      'a change of plan takes away ends with the reason plan_change',
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
      'a change of plan grants is created with the reason plan_change',
      {
        current: [identity],
        actual: without,
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'plan_change', call: 'enroll' },
    ],
    [
      'a change of plan grants together with a purchase is created with the reason plan_change',
      {
        current: [identity],
        actual: without,
        asked: 'sync',
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'plan_change', call: 'enroll' },
    ],
    [
      'a change of plan grants, and that support requests, is created with the reason support',
      {
        current: [identity],
        actual: without,
        asked: 'support',
        entitled: { held: HELD, givenUp: NONE, brought: new Set(['idp.credit'] as const) },
      },
      { wanted: true, active: true, reason: 'support', call: 'enroll' },
    ],
  ])('that %s', (_name, change, expected) => {
    const decisions = decide(facts(change)).filter(({ code }) => code === 'CREDIT_SCORE');
    expect(decisions).toEqual([expect.objectContaining(expected)]);
  });

  it('that the vendor ended and does not show, and that is not requested again, is not changed', () => {
    expect(decide(facts({ current: [identity, ended], actual: without, endedCodes: ['CREDIT_SCORE'] }))).toEqual([]);
  });

  it('that the vendor shows, although it is not granted and was never wanted, is ended', () => {
    const actual = new Set(['IDENTITY_MONITORING', 'CREDIT_SCORE', 'TITLE_MONITORING'] as const);
    expect(decide(facts({ actual }))).toEqual([
      expect.objectContaining({ code: 'TITLE_MONITORING', wanted: false, call: 'unenroll' }),
    ]);
  });

  it('that is requested is created even if the vendor shows it, because a report of its end may still arrive', () => {
    expect(decide(facts({ asked: 'sync' })).map(({ code, call }) => [code, call])).toEqual([
      ['IDENTITY_MONITORING', 'enroll'],
      ['CREDIT_SCORE', 'enroll'],
    ]);
  });
});
