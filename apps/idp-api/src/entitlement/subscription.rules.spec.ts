import {
  broughtByPlanChange,
  entitlementsAt,
  lossesUntil,
  nextChangeAt,
  plannedChange,
  type SubscriptionEvent,
  subscriptionOf,
} from './subscription.rules';

const at = (hours: number): Date => new Date(Date.UTC(2026, 0, 1, hours));
const event = (
  hours: number,
  type: SubscriptionEvent['type'],
  more: Partial<SubscriptionEvent> = {},
): SubscriptionEvent => ({
  type,
  occurredAt: at(hours),
  effectiveAt: null,
  entitlements: null,
  paymentStatus: null,
  ...more,
});
const IDENTITY = ['idp.identity'] as const;
const BOTH = ['idp.identity', 'idp.credit'] as const;
const bought = (hours: number, entitlements: readonly string[] = IDENTITY, paymentStatus = 'captured') =>
  event(hours, 'purchased', { entitlements, paymentStatus });
const changed = (hours: number, entitlements: readonly string[], effective = hours) =>
  event(hours, 'plan_changed', { entitlements, effectiveAt: at(effective) });

/** Returns the entitlements that a subscription grants at an hour. @param events in the order of their arrival */
const held = (hours: number, ...events: SubscriptionEvent[]) => entitlementsAt(subscriptionOf(events), at(hours));

/** Returns all orders of a list. */
const orders = <T>(list: readonly T[]): T[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one, index) => orders(list.filter((_, other) => other !== index)).map((rest) => [one, ...rest]));

describe('a subscription', () => {
  it('grants entitlements only when its payment is captured [idp-payments.captured]', () => {
    expect(held(2, bought(1))).toEqual(IDENTITY);
    expect(held(2, bought(1, IDENTITY, 'pending'))).toEqual([]);
    expect(held(2, bought(1, IDENTITY, 'failed'))).toEqual([]);
    expect(held(3, bought(1, IDENTITY, 'pending'), bought(2))).toEqual(IDENTITY);
  });

  it('grants entitlements at once, even if the clock of billing is ahead [idp-payments.captured]', () => {
    expect(held(2, bought(3))).toEqual(IDENTITY);
    expect(held(2, bought(3), changed(4, BOTH))).toEqual(IDENTITY);
    expect(held(2, bought(1), changed(4, BOTH))).toEqual(IDENTITY);
    expect(plannedChange(subscriptionOf([bought(3)]), at(2))).toBeNull();
  });

  it('keeps its entitlements when a pending or failed payment follows a captured one [idp-payments.pending-after-captured]', () => {
    for (const status of ['pending', 'failed']) expect(held(3, bought(1), bought(2, BOTH, status))).toEqual(IDENTITY);
  });

  it('ignores unknown entitlements [idp-payments.unknown-entitlements]', () => {
    expect(held(2, bought(1, ['vpn', 'idp.credit', 'idp.other']))).toEqual(['idp.credit']);
  });

  it.each(['cancelled', 'expired', 'refunded', 'charged_back'] as const)(
    'ends at effectiveAt when it is %s, or immediately if there is no effectiveAt [idp-payments.ends]',
    (type) => {
      expect(held(2, bought(1), event(2, type))).toEqual([]);
      const later = [bought(1), event(2, type, { effectiveAt: at(5) })];
      expect([held(4, ...later), held(5, ...later)]).toEqual([IDENTITY, []]);
      expect(nextChangeAt(subscriptionOf(later), at(2))).toEqual(at(5));
    },
  );

  it('is live again, or stays live, when it is bought or renewed again [idp-payments.again]', () => {
    expect(held(4, bought(1), event(2, 'expired'), event(3, 'renewed'))).toEqual(IDENTITY);
    expect(held(4, bought(1), event(2, 'expired'), bought(3, BOTH))).toEqual(BOTH);
    expect(held(9, bought(1), event(2, 'cancelled', { effectiveAt: at(8) }), event(3, 'renewed'))).toEqual(IDENTITY);
  });

  it('keeps its entitlements when it is renewed without a new list of entitlements [idp-payments.renewed]', () => {
    expect(held(3, bought(1), event(2, 'renewed'))).toEqual(IDENTITY);
    expect(held(3, bought(1), event(2, 'renewed', { entitlements: BOTH }))).toEqual(BOTH);
  });

  it('gives the same result in whatever order its purchase and later events arrive [idp-payments.older]', () => {
    const events = [
      bought(1),
      event(2, 'cancelled', { effectiveAt: at(6) }),
      event(3, 'renewed', { entitlements: BOTH }),
      changed(4, IDENTITY, 7),
      event(8, 'expired'),
    ];
    for (const order of orders(events)) {
      const terms = [2, 3, 6, 7, 8].map((hours) => held(hours, ...order));
      expect(terms).toEqual([IDENTITY, BOTH, BOTH, IDENTITY, []]);
    }
  });

  it('applies events with equal times in the order of arrival, except that an end is applied last [idp-payments.equal-timestamps]', () => {
    expect(held(2, bought(1), event(2, 'refunded'), event(2, 'renewed'))).toEqual([]);
    expect(held(2, bought(1), event(2, 'renewed'), event(2, 'refunded'))).toEqual([]);
    expect(held(2, bought(1), bought(1, BOTH))).toEqual(BOTH);
  });

  it('stays ended when another end arrives with a later effectiveAt', () => {
    const refunded = [bought(1), event(2, 'refunded'), event(3, 'cancelled', { effectiveAt: at(9) })];
    expect(held(4, ...refunded)).toEqual([]);
  });

  describe('with a receipt', () => {
    const received = (hours: number, entitlements: readonly string[] = IDENTITY) =>
      event(hours, 'receipt', { entitlements });

    it('grants the known entitlements of the receipt without a captured payment [support-enroll.receipt]', () => {
      expect(held(2, received(1, ['idp.identity', 'vpn']))).toEqual(IDENTITY);
      expect(held(3, bought(1, BOTH, 'pending'), received(2))).toEqual(IDENTITY);
      expect(held(3, received(1), received(2, ['idp.credit']))).toEqual(BOTH);
    });

    it('keeps what the receipt granted in addition to the plan, even when the plan changes [support-enroll.lasts]', () => {
      expect(held(3, bought(1), received(2, ['idp.credit']))).toEqual(BOTH);
      expect(held(4, bought(1, BOTH), received(2, BOTH), changed(3, IDENTITY))).toEqual(BOTH);
      expect(held(4, received(1), event(2, 'renewed', { entitlements: ['idp.credit'] }))).toEqual(IDENTITY);
    });

    it.each(['cancelled', 'expired', 'refunded', 'charged_back'] as const)(
      'loses the receipt’s entitlements when it is %s: at effectiveAt, or at once if there is no effectiveAt [support-enroll.lasts]',
      (type) => {
        expect(held(3, received(1), event(2, type))).toEqual([]);
        const later = [received(1), event(2, type, { effectiveAt: at(5) })];
        expect([held(4, ...later), held(5, ...later)]).toEqual([IDENTITY, []]);
        expect(nextChangeAt(subscriptionOf(later), at(2))).toEqual(at(5));
      },
    );

    it('keeps the receipt’s entitlements if a future end is withdrawn, but loses them if the end takes effect', () => {
      expect(held(9, received(1), event(2, 'cancelled', { effectiveAt: at(8) }), event(3, 'renewed'))).toEqual(
        IDENTITY,
      );
      expect(held(9, event(1, 'cancelled', { effectiveAt: at(8) }), received(2))).toEqual([]);
    });

    it('does not grant the receipt’s entitlements again when the subscription is renewed after its end', () => {
      expect(held(4, received(1), event(2, 'expired'), event(3, 'renewed', { entitlements: BOTH }))).toEqual([]);
    });

    it('grants the entitlements of a receipt that is newer than the subscription’s end, until the next end', () => {
      const again = [bought(1), event(2, 'expired'), received(3, ['idp.credit'])];
      expect(held(4, ...again)).toEqual(['idp.credit']);
      expect(held(6, ...again, event(5, 'refunded'))).toEqual([]);
    });

    it('does not grant the entitlements of a receipt that is as old as the subscription’s end, or older', () => {
      expect(held(3, event(2, 'refunded'), received(1))).toEqual([]);
      expect(held(3, received(2), event(2, 'refunded'))).toEqual([]);
    });

    it('gives the same result in whatever order receipts and events arrive [support-enroll.order]', () => {
      const events = [
        bought(1),
        received(2, ['idp.credit']),
        event(3, 'cancelled', { effectiveAt: at(6) }),
        received(4, ['idp.titles']),
        received(7, ['idp.removal']),
      ];
      for (const order of orders(events)) {
        const terms = [5, 6, 8].map((hours) =>
          held(hours, ...order.filter(({ occurredAt }) => occurredAt <= at(hours))),
        );
        expect(terms).toEqual([['idp.identity', 'idp.credit', 'idp.titles'], [], ['idp.removal']]);
      }
    });
  });

  describe('whose plan changes', () => {
    it('grants the new plan from effectiveAt on, and reports from then on what the user lost [idp-payments.plan-change]', () => {
      const subscription = subscriptionOf([bought(1, BOTH), changed(2, IDENTITY, 5)]);
      expect([entitlementsAt(subscription, at(4)), entitlementsAt(subscription, at(5))]).toEqual([BOTH, IDENTITY]);
      expect([lossesUntil(subscription, at(4)), lossesUntil(subscription, at(5))]).toEqual([
        [],
        [{ entitlement: 'idp.credit', at: at(5), byPlanChange: true }],
      ]);
      expect(nextChangeAt(subscription, at(2))).toEqual(at(5));
    });

    it('reports each loss with its own cause: a change of the plan, a purchase, the end, or the end of a receipt', () => {
      const lost = (entitlement: string, hours: number, byPlanChange = false) => ({
        entitlement,
        at: at(hours),
        byPlanChange,
      });
      const renewed = event(4, 'renewed', { entitlements: ['idp.identity', 'idp.titles'] });
      const receipt = event(5, 'receipt', { entitlements: ['idp.removal'] });
      const story = [bought(1, BOTH), changed(2, IDENTITY), renewed, receipt, bought(6), event(7, 'expired')];
      expect(lossesUntil(subscriptionOf(story), at(9))).toEqual([
        lost('idp.credit', 2, true),
        lost('idp.titles', 6),
        lost('idp.identity', 7),
        lost('idp.removal', 7),
      ]);
      expect(
        lossesUntil(subscriptionOf([event(1, 'renewed', { entitlements: BOTH }), event(2, 'expired')]), at(9)),
      ).toEqual([]);
    });

    it('applies a change that arrives before the purchase once the purchase has arrived [idp-payments.plan-change-unknown]', () => {
      expect(held(2, changed(1, BOTH))).toEqual([]);
      expect(held(4, changed(2, BOTH), bought(1))).toEqual(BOTH);
      expect(held(4, changed(2, BOTH), bought(3))).toEqual(BOTH);
    });

    it('ignores a change that is older than the purchase but arrives after it [idp-payments.plan-change-older]', () => {
      expect(held(4, bought(3), changed(2, BOTH))).toEqual(IDENTITY);
      expect(held(4, bought(1), bought(3), changed(2, BOTH))).toEqual(IDENTITY);
      expect(held(9, bought(3), changed(2, BOTH, 5))).toEqual(IDENTITY);
      expect(held(9, bought(1), bought(3), changed(2, BOTH, 5))).toEqual(IDENTITY);
    });

    it('drops a change that has not taken effect yet once a newer change is known [idp-payments.plan-change-older]', () => {
      for (const order of orders([bought(1), changed(2, BOTH, 9), changed(3, ['idp.titles'], 8)])) {
        expect([held(8, ...order), held(9, ...order)]).toEqual([['idp.titles'], ['idp.titles']]);
      }
      expect(held(9, bought(1), changed(3, IDENTITY), changed(2, BOTH, 5))).toEqual(IDENTITY);
    });

    it('does not apply a change to a new purchase when the subscription ended between the two [idp-payments.plan-change-ended]', () => {
      expect(held(9, changed(1, BOTH), event(2, 'cancelled'), bought(3))).toEqual(IDENTITY);
      expect(held(9, bought(1), changed(2, BOTH, 8), event(3, 'cancelled', { effectiveAt: at(6) }), bought(7))).toEqual(
        IDENTITY,
      );
    });

    it('drops a change that would take effect after a scheduled end, even if a renewal follows the end [idp-payments.plan-change-ended]', () => {
      const ended = event(2, 'cancelled', { effectiveAt: at(6) });
      expect(held(9, bought(1), ended, changed(3, BOTH, 8), event(7, 'renewed'))).toEqual(IDENTITY);
    });

    it('reports the entitlements that a change of the plan granted for the first time', () => {
      const subscription = subscriptionOf([bought(1), changed(2, BOTH, 5)]);
      expect([broughtByPlanChange(subscription, at(4)), broughtByPlanChange(subscription, at(5))]).toEqual([
        [],
        ['idp.credit'],
      ]);
    });

    it('ignores a change that is newer than the subscription’s end [idp-payments.plan-change-ended]', () => {
      expect(held(5, bought(1), event(2, 'expired'), changed(3, BOTH), event(4, 'renewed'))).toEqual(IDENTITY);
    });

    it('drops a future change when the subscription ends before the change takes effect', () => {
      expect(held(9, bought(1), changed(2, BOTH, 8), event(3, 'refunded'), bought(4))).toEqual(IDENTITY);
    });

    describe('at a later time', () => {
      const IN_EIGHT = changed(2, BOTH, 8);
      const planned = (...events: SubscriptionEvent[]) => plannedChange(subscriptionOf(events), at(5));

      it('has a planned change until the change takes effect', () => {
        expect(planned(bought(1), IN_EIGHT)).toMatchObject({ from: at(8), entitlements: BOTH });
        expect(plannedChange(subscriptionOf([bought(1), IN_EIGHT]), at(8))).toBeNull();
        expect(planned(IN_EIGHT, bought(1, IDENTITY, 'pending'))).toBeNull();
      });

      it('has as its planned change the one that was made last, in any order of arrival [idp-payments.plan-change-older]', () => {
        for (const order of orders([bought(1), IN_EIGHT, changed(3, ['idp.titles'], 7)])) {
          expect(planned(...order)).toMatchObject({ from: at(7), entitlements: ['idp.titles'] });
        }
      });

      it('has no planned change after a newer event has set the entitlements [idp-payments.plan-change-older]', () => {
        expect(planned(bought(1), IN_EIGHT, changed(3, ['idp.titles']))).toBeNull();
        expect(planned(bought(1), IN_EIGHT, event(3, 'renewed', { entitlements: BOTH }))).toBeNull();
        expect(planned(bought(1), IN_EIGHT, event(3, 'renewed'))).toMatchObject({ from: at(8) });
      });

      it('has no planned change when the subscription ends first, even if it is then renewed [idp-payments.plan-change-ended]', () => {
        const ended = (hours: number) => event(3, 'cancelled', { effectiveAt: at(hours), entitlements: BOTH });
        expect(planned(bought(1), ended(8))).toBeNull();
        expect(planned(bought(1), ended(8), changed(4, BOTH, 9))).toBeNull();
        expect(planned(bought(1), IN_EIGHT, ended(8))).toBeNull();
        expect(planned(bought(1), IN_EIGHT, ended(9))).toMatchObject({ from: at(8) });
        expect(planned(bought(1), IN_EIGHT, ended(3), event(4, 'renewed'))).toBeNull();
      });
    });
  });
});
