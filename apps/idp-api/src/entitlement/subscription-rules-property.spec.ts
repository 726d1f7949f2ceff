import { SUBSCRIPTION_CHANGES } from '@tandem/contracts';
import fc from 'fast-check';
import { ENTITLEMENTS } from './entitlement.rules';
import {
  entitlementsAt,
  lossesUntil,
  nextChangeAt,
  type SubscriptionEvent,
  subscriptionOf,
} from './subscription.rules';

const HOURS = 48;
const at = (hours: number): Date => new Date(Date.UTC(2026, 0, 1, hours));

const entitlements = fc.subarray([...ENTITLEMENTS, 'vpn', 'constructor']);
const withEntitlements = ({ type }: { type: string }) => ['purchased', 'plan_changed'].includes(type);

const event = fc
  .record({
    type: fc.constantFrom(...SUBSCRIPTION_CHANGES),
    hour: fc.integer({ min: 0, max: HOURS - 1 }),
    effectiveHour: fc.option(fc.integer({ min: 0, max: HOURS })),
    entitlements: fc.option(entitlements),
    paymentStatus: fc.constantFrom('captured', 'captured', 'pending', 'failed'),
  })
  .map((given): SubscriptionEvent => ({
    type: given.type,
    occurredAt: at(given.hour),
    effectiveAt: given.type === 'purchased' || given.effectiveHour === null ? null : at(given.effectiveHour),
    entitlements: withEntitlements(given) ? (given.entitlements ?? []) : given.entitlements,
    paymentStatus: given.type === 'purchased' ? given.paymentStatus : null,
  }));
const events = (options: fc.ArrayConstraints = {}) =>
  fc.uniqueArray(event, { selector: ({ occurredAt }) => occurredAt.getTime(), maxLength: 10, ...options });
const shuffled = <T>(list: readonly T[]) =>
  fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });

/** The other fields of an event that has only a type and a time. */
const SILENT = { effectiveAt: null, entitlements: null, paymentStatus: null };

/** Returns, for each hour, the entitlements, their losses, and the time of the next change. */
const storyOf = (list: readonly SubscriptionEvent[]): unknown[] => {
  const subscription = subscriptionOf(list);
  return Array.from({ length: HOURS + 2 }, (_, hour) => [
    entitlementsAt(subscription, at(hour)),
    lossesUntil(subscription, at(hour)),
    nextChangeAt(subscription, at(hour)),
  ]);
};
const heldAt = (list: readonly SubscriptionEvent[], hour: number) => entitlementsAt(subscriptionOf(list), at(hour));

/** Drops plan changes that are older than a captured purchase, because their effect depends on the order of arrival. */
function withoutEarlyChanges(list: readonly SubscriptionEvent[]): SubscriptionEvent[] {
  const purchases = list.filter(isCaptured).map(({ occurredAt }) => occurredAt.getTime());
  return list.filter(
    ({ type, occurredAt }) => type !== 'plan_changed' || occurredAt.getTime() > Math.max(...purchases),
  );
}

const check = <T extends unknown[]>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 400 });
const isCaptured = ({ paymentStatus }: SubscriptionEvent): boolean => paymentStatus === 'captured';
const isUnpaid = ({ type }: SubscriptionEvent, paid: boolean): boolean => type === 'purchased' && !paid;

describe('events of a subscription', () => {
  it('give the same result in any order if times differ and no plan change precedes a captured purchase [idp-payments.older]', () => {
    const pairs = events()
      .map(withoutEarlyChanges)
      .chain((list) => fc.tuple(fc.constant(list), shuffled(list)));
    check(fc.property(pairs, ([one, other]) => expect(storyOf(other)).toEqual(storyOf(one))));
  });

  it('grant no entitlement without a captured payment [idp-payments.captured]', () => {
    const unpaid = events().map((list) => list.filter((one) => !isCaptured(one)));
    check(
      fc.property(unpaid, fc.integer({ min: 0, max: HOURS }), (list, hour) => expect(heldAt(list, hour)).toEqual([])),
    );
  });

  it('give the same result with and without pending and failed payments [idp-payments.pending-after-captured]', () => {
    check(
      fc.property(events(), (list) => {
        const paid = list.filter((one) => !isUnpaid(one, isCaptured(one)));
        expect(storyOf(list)).toEqual(storyOf(paid));
      }),
    );
  });

  it('grant no entitlement once the newest event is an end that is in effect [idp-payments.ends]', () => {
    const ends = fc.constantFrom('cancelled', 'expired', 'refunded', 'charged_back');
    check(
      fc.property(events(), ends, (list, type) => {
        const end = { ...SILENT, type, occurredAt: at(HOURS) } as SubscriptionEvent;
        expect(heldAt([...list, end], HOURS)).toEqual([]);
        expect(heldAt([end, ...list], HOURS + 500)).toEqual([]);
      }),
    );
  });

  it('grant no entitlement after an end and a start with the same timestamp, in either order [idp-payments.equal-timestamps]', () => {
    const ends = fc.constantFrom('cancelled', 'expired', 'refunded', 'charged_back');
    const starts = fc.constantFrom('purchased', 'renewed', 'plan_changed');
    check(
      fc.property(events(), ends, starts, (list, end, start) => {
        const more = { occurredAt: at(HOURS), entitlements: ['idp.identity'], paymentStatus: 'captured' };
        const both = [end, start].map((type) => ({ ...SILENT, ...more, type }) as SubscriptionEvent);
        expect(heldAt([...list, ...both], HOURS)).toEqual([]);
        expect(heldAt([...both.reverse(), ...list], HOURS)).toEqual([]);
      }),
    );
  });

  it('grant only known entitlements [idp-payments.unknown-entitlements]', () => {
    check(
      fc.property(events(), fc.integer({ min: 0, max: HOURS }), (list, hour) =>
        expect(ENTITLEMENTS).toEqual(expect.arrayContaining([...heldAt(list, hour)])),
      ),
    );
  });
});
