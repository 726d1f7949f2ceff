import fc from 'fast-check';
import type { UserEnrollment } from './enrollment.repository';
import { afterReport, type VendorReport } from './vendor-report.rules';
import { wantedChanges } from './wanted.rules';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 5, 0, minutes));
const enrollment = (change: Partial<UserEnrollment> = {}): UserEnrollment => ({
  krn: 'krn:tandem:test:user:u1',
  code: 'CREDIT_SCORE',
  wanted: true,
  active: true,
  reason: 'enrolled',
  activatedAt: at(0),
  createdAt: at(0),
  updatedAt: at(0),
  wantedAt: at(0),
  vendorSaidAt: null,
  ...change,
});
const started = (minutes: number): VendorReport => ({ active: true, receivedAt: at(minutes) });
const ended = (minutes: number): VendorReport => ({ active: false, receivedAt: at(minutes) });
const after = (first: UserEnrollment, ...reports: VendorReport[]): UserEnrollment =>
  reports.reduce((current, report) => afterReport(current, report).enrollment, first);

const HELD = {
  held: new Set(['idp.identity', 'idp.credit'] as const),
  brought: new Set<never>(),
  givenUp: new Set<never>(),
};
/** Whether the reconciliation by itself, or somebody who asks, would want it again. */
const isWantedAgain = (current: UserEnrollment, isAsked: boolean): boolean =>
  wantedChanges([current], 0, HELD, 'enrolled', isAsked).some(({ code }) => code === 'CREDIT_SCORE');

describe('what the vendor tells of an enrollment', () => {
  it('an end that nobody asked for is the vendor’s, and is not wanted again by itself [idp-events.cancelled]', () => {
    const { enrollment: one, outcome } = afterReport(enrollment(), ended(5));
    expect([outcome, one]).toEqual([
      'changed',
      enrollment({ wanted: false, active: false, reason: 'vendor', activatedAt: null, vendorSaidAt: at(5) }),
    ]);
    expect([isWantedAgain(one, false), isWantedAgain(one, true)]).toEqual([false, true]);
  });

  it('holds until somebody asks: what was asked for since is wanted by the reconciliation too [idp-events.until-asked]', () => {
    const one = after(enrollment(), ended(5));
    expect(isWantedAgain({ ...one, wantedAt: at(6) }, false)).toBe(true);
    expect(isWantedAgain({ ...one, wantedAt: at(4) }, false)).toBe(false);
  });

  it('a start takes the vendor’s end back [idp-events.started]', () => {
    expect(after(enrollment(), ended(5), started(6))).toMatchObject({ wanted: true, active: true, activatedAt: at(6) });
  });

  it.each<[string, UserEnrollment, VendorReport, string]>([
    ['a start of what is active', enrollment(), started(5), 'known'],
    ['an end of what we ended', enrollment({ wanted: false, active: false, reason: 'plan_change' }), ended(5), 'known'],
    [
      'a start of what we ended',
      enrollment({ wanted: false, active: false, reason: 'plan_change' }),
      started(5),
      'differs',
    ],
    ['a start of what is being ended', enrollment({ wanted: false, reason: 'plan_change' }), started(5), 'differs'],
    ['an end of what is on its way', enrollment({ active: false, activatedAt: null }), ended(5), 'differs'],
    ['an end before it was asked for', enrollment({ wantedAt: at(6) }), ended(5), 'older'],
    ['an end before the vendor’s last word', enrollment({ vendorSaidAt: at(6) }), ended(5), 'older'],
  ])('%s changes nothing [idp-events.echo]', (_title, one, report, outcome) => {
    const result = afterReport(one, report);
    expect(result.outcome).toBe(outcome);
    expect({ ...result.enrollment, vendorSaidAt: one.vendorSaidAt }).toEqual(one);
  });

  it('a start of what is on its way makes it active with its own reason [idp-events.started]', () => {
    const one = after(enrollment({ active: false, activatedAt: null, reason: 'migrated' }), started(5));
    expect(one).toMatchObject({ wanted: true, active: true, reason: 'migrated', activatedAt: at(5) });
  });

  it('of the same webhooks in any order the newest holds [idp-events.older]', () => {
    const reports = fc
      .uniqueArray(fc.record({ active: fc.boolean(), minute: fc.integer({ min: 1, max: 60 }) }), {
        selector: ({ minute }) => minute,
        minLength: 1,
        maxLength: 8,
      })
      .map((list) => list.map(({ active, minute }) => ({ active, receivedAt: at(minute) })));
    const orders = reports.chain((list) =>
      fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
    );
    fc.assert(
      fc.property(orders, (list) => {
        const newest = [...list].sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime())[0] as VendorReport;
        expect(after(enrollment(), ...list)).toMatchObject({ active: newest.active, wanted: newest.active });
      }),
      { numRuns: 500 },
    );
  });
});
