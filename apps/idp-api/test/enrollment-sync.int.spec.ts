import { ENROLLMENT_SYNC, type EnrollmentSync, type SubscriptionChange } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { eventually, uniqueId } from '@tandem/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { EnrollmentSyncService } from '../src/enrollment/enrollment-sync.service';
import { Reconciler } from '../src/enrollment/reconciler';
import { type Claim, ReconciliationRepository } from '../src/enrollment/reconciliation.repository';
import { SubscriptionRepository } from '../src/entitlement/subscription.repository';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { UserLocks } from '../src/user-lock/user-locks';
import { ALL_ENTITLEMENTS, createBody, Idp, newKrn, type TestUser } from './idp';
import type { TestVendorRoute } from './vendor';
import { sessionsAtLock } from './sessions-at-lock';

const MONITORS: readonly TestVendorRoute[] = [
  { route: 'monitors', method: 'GET', pattern: /^\/monitors\/v2$/, answer: () => [200, { monitors: [] }] },
];

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('enrollment.sync', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({ vendorRoutes: MONITORS });
  });
  afterAll(() => idp.stop());
  beforeEach(() => idp.vendor.faults.clear());

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const codes = (user: TestUser) => idp.vendor.activeCodes(keyOf(user));

  /** Publishes events as webhook-ingest does. */
  const publish = (...syncs: EnrollmentSync[]) => {
    const outbox = idp.running.nest.get(Outbox);
    return outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        ENROLLMENT_SYNC,
        syncs.map((data) => ({ data })),
      ),
    );
  };
  const sync = (subscriptionId: string, change: Partial<SubscriptionChange>, krn?: string): EnrollmentSync => ({
    ...(krn && { krn }),
    cause: 'subscription',
    subscription: { subscriptionId, type: 'renewed', occurredAt: new Date().toISOString(), ...change },
  });
  const purchase = (subscriptionId: string, krn?: string, change: Partial<SubscriptionChange> = {}) =>
    sync(
      subscriptionId,
      { type: 'purchased', entitlements: ALL_ENTITLEMENTS, paymentStatus: 'captured', ...change },
      krn,
    );
  const handled = async (subscriptionId: string, count: number) =>
    eventually(async () => {
      const rows = await idp.database.query('select 1 from idp.subscription_event where subscription_id = $1', [
        subscriptionId,
      ]);
      expect(rows).toHaveLength(count);
    });

  /** Creates a user with a profile, entitled by a purchase that arrived as an event. */
  async function subscriber(version = 1): Promise<TestUser & { subscriptionId: string }> {
    const user = { krn: newKrn(), subscriptionId: uniqueId('sub') };
    await publish(purchase(user.subscriptionId, user.krn, { occurredAt: hoursAgo(10) }));
    await handled(user.subscriptionId, 1);
    expect((await idp.request('POST', '', user, createBody({ version }))).status).toBe(200);
    await eventually(() => expect(codes(user)).toHaveLength(version === 1 ? 7 : 3));
    return user;
  }

  const reasons = async ({ krn }: TestUser, code: string) =>
    (
      await idp.database.query(
        'select status, reason from idp.enrollment_status where krn = $1 and code = $2 order by seq',
        [krn, code],
      )
    ).map(({ status, reason }) => [status, reason]);

  it('a purchase entitles the user that it names [idp-payments.entitles]', async () => {
    const user = await subscriber();
    expect((await idp.request('POST', '/me/enroll', user)).body.enrollments).toHaveLength(7);
  });

  it('the end of a subscription ends the enrollments and a renewal restores them, each time with a reason and an event [idp-enrollments.reasons]', async () => {
    const user = await subscriber();
    await publish(sync(user.subscriptionId, { type: 'expired', occurredAt: hoursAgo(2) }));
    await eventually(() => expect(codes(user)).toEqual([]));
    await publish(sync(user.subscriptionId, { type: 'renewed', occurredAt: hoursAgo(1) }));
    await eventually(() => expect(codes(user)).toHaveLength(7));
    await eventually(async () =>
      expect(await reasons(user, 'CREDIT_SCORE')).toEqual([
        ['active', 'enrolled'],
        ['inactive', 'entitlement_lost'],
        ['active', 'enrolled'],
      ]),
    );
    await eventually(async () => {
      const events = await idp.database.publishedEvents('idp', 'enrollment.changed', user.krn);
      expect(events.filter(({ data }) => data['code'] === 'CREDIT_SCORE')).toHaveLength(3);
      expect(events[0]?.data).toEqual({
        krn: user.krn,
        arrayUserId: keyOf(user),
        code: expect.any(String),
        active: expect.any(Boolean),
        reason: expect.any(String),
        changedAt: expect.any(String),
      });
    });
  });

  it('an enrollment ended by a change of plan has the reason plan_change [idp-enrollments.plan-change]', async () => {
    const user = await subscriber();
    const effectiveAt = new Date(Date.now() + 2_000).toISOString();
    const change = { entitlements: ['idp.identity'], effectiveAt };
    await publish(sync(user.subscriptionId, { type: 'plan_changed', ...change }, user.krn));
    await handled(user.subscriptionId, 2);
    expect(codes(user)).toHaveLength(7);
    await eventually(() => expect(codes(user)).toEqual(['IDENTITY_MONITORING', 'NEIGHBORHOOD_WATCH']));
    await eventually(async () =>
      expect((await reasons(user, 'CREDIT_SCORE')).at(-1)).toEqual(['inactive', 'plan_change']),
    );
  });

  it('the end of a subscription ends only the codes that no other live subscription of the user grants [idp-payments.several]', async () => {
    const user = await subscriber();
    const second = uniqueId('sub');
    await publish(purchase(second, user.krn, { entitlements: ['idp.identity'] }));
    await publish(sync(user.subscriptionId, { type: 'refunded' }));
    await eventually(() => expect(codes(user)).toEqual(['IDENTITY_MONITORING', 'NEIGHBORHOOD_WATCH']));
  });

  it.each([
    ['entitlement_lost', 'one subscription ends after a plan change of the other', 2, 1],
    ['plan_change', 'the plan of one subscription changes after the end of the other', 1, 2],
  ] as const)(
    'a lost code has the reason %s if %s [idp-enrollments.plan-change]',
    async (reason, _, changedAgo, endedAgo) => {
      const user = await subscriber();
      const second = uniqueId('sub');
      await publish(purchase(second, user.krn, { occurredAt: hoursAgo(9) }));
      const identity = { type: 'plan_changed' as const, entitlements: ['idp.identity'] };
      const changed = sync(second, { ...identity, occurredAt: hoursAgo(changedAgo) }, user.krn);
      const ended = sync(user.subscriptionId, { type: 'expired', occurredAt: hoursAgo(endedAgo) });
      for (const event of changedAgo > endedAgo ? [changed, ended] : [ended, changed]) await publish(event);
      await eventually(() => expect(codes(user)).toEqual(['IDENTITY_MONITORING', 'NEIGHBORHOOD_WATCH']));
      await eventually(async () => expect((await reasons(user, 'CREDIT_SCORE')).at(-1)).toEqual(['inactive', reason]));
    },
  );

  it('a change of plan that arrives before the purchase takes effect once the purchase has arrived [idp-payments.without-krn]', async () => {
    const id = uniqueId('sub');
    await publish(sync(id, { type: 'plan_changed', entitlements: ['idp.identity'], occurredAt: hoursAgo(1) }));
    await handled(id, 1);
    const krn = newKrn();
    await publish(purchase(id, krn, { occurredAt: hoursAgo(2) }));
    await handled(id, 2);
    const user = { krn };
    expect((await idp.request('POST', '', user, createBody({ version: 1 }))).status).toBe(200);
    await eventually(() => expect(codes(user)).toEqual(['IDENTITY_MONITORING', 'NEIGHBORHOOD_WATCH']));
  });

  it('a change of plan appears in the overview of monitors [idp-payments.overview]', async () => {
    const user = await subscriber();
    const overview = async () => (await idp.request('GET', '/me/monitors/overview', user)).body.availableCount;
    expect(await overview()).toBe(17);
    await publish(sync(user.subscriptionId, { type: 'plan_changed', entitlements: ['idp.identity'] }, user.krn));
    await eventually(async () => expect(await overview()).toBe(12));
  });

  it('a purchase without a KRN entitles no user until an event names the user [idp-payments.without-krn]', async () => {
    const id = uniqueId('sub');
    await publish(purchase(id, undefined, { occurredAt: hoursAgo(2) }));
    await handled(id, 1);
    expect(await idp.database.query('select krn from idp.subscription where id = $1', [id])).toEqual([{ krn: null }]);
    const user = { krn: newKrn() };
    const create = () => idp.request('POST', '', user, createBody());
    expect((await create()).body).toEqual({ BadRequest: { EntitlementsRequired: {} } });
    await publish(sync(id, { occurredAt: hoursAgo(1) }, user.krn));
    await handled(id, 2);
    expect((await create()).status).toBe(200);
  });

  it.each([
    ['pending before', { paymentStatus: 'pending', occurredAt: hoursAgo(2) }, []],
    ['ended before', { occurredAt: hoursAgo(3) }, [{ type: 'cancelled', occurredAt: hoursAgo(2) }]],
  ] as const)(
    'a purchase without a KRN entitles the known user of a subscription that was %s [idp-payments.without-krn]',
    async (_, first, more) => {
      const id = uniqueId('sub');
      const user = { krn: newKrn() };
      await publish(purchase(id, user.krn, first), ...more.map((change) => sync(id, change)));
      await handled(id, 1 + more.length);
      const create = () => idp.request('POST', '', user, createBody());
      expect((await create()).body).toEqual({ BadRequest: { EntitlementsRequired: {} } });
      await publish(purchase(id, undefined, { occurredAt: hoursAgo(1) }));
      await handled(id, 2 + more.length);
      expect((await create()).status).toBe(200);
    },
  );

  it('an enrollment that a change of plan adds has the reason plan_change [idp-enrollments.plan-change]', async () => {
    const user = { krn: newKrn(), subscriptionId: uniqueId('sub') };
    await publish(purchase(user.subscriptionId, user.krn, { entitlements: ['idp.identity'], occurredAt: hoursAgo(2) }));
    await handled(user.subscriptionId, 1);
    expect((await idp.request('POST', '', user, createBody({ version: 1 }))).status).toBe(200);
    await publish(sync(user.subscriptionId, { type: 'plan_changed', entitlements: ALL_ENTITLEMENTS }, user.krn));
    await eventually(() => expect(codes(user)).toHaveLength(7));
    await eventually(async () => expect(await reasons(user, 'CREDIT_SCORE')).toEqual([['active', 'plan_change']]));
  });

  it('a subscription that moves to another user no longer entitles its previous user [idp-payments.owner]', async () => {
    const user = await subscriber();
    await publish(sync(user.subscriptionId, { type: 'renewed' }, newKrn()));
    await eventually(() => expect(codes(user)).toEqual([]));
  });

  it('concurrent events of the same subscriptions, with and without a KRN, are stored without a deadlock [idp-payments.keys]', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => subscriber(0)));
    const rounds = Array.from({ length: 12 }, (_, round) => {
      const named = round % 2 === 0;
      const events = users.map((user) =>
        sync(user.subscriptionId, { occurredAt: hoursAgo(1 + round / 1000) }, named ? user.krn : undefined),
      );
      const again = { occurredAt: hoursAgo(2 + round / 1000) };
      const bought = named ? users.map((user) => purchase(user.subscriptionId, user.krn, again)) : [];
      return [...(round % 3 === 0 ? events.reverse() : events), ...bought.reverse()];
    });
    const service = idp.running.nest.get(EnrollmentSyncService, { strict: false });
    const occurredAt = new Date().toISOString();
    const dataSource = idp.running.nest.get(DataSource);
    await Promise.all(
      rounds.map((events) =>
        dataSource.transaction((manager) =>
          service.record(
            manager,
            events.map((data) => ({ data, occurredAt })),
          ),
        ),
      ),
    );
    for (const { subscriptionId } of users) await handled(subscriptionId, 1 + 12 + 6);
    for (const user of users) await eventually(() => expect(codes(user)).toHaveLength(3));
  });

  it.each([
    ['a stored', true],
    ['an unknown', false],
  ])(
    'when two transactions move %s subscription concurrently, the second one returns the first one’s user as the former user',
    async (_, known) => {
      const id = uniqueId('sub');
      const [first, second, third] = [newKrn(), newKrn(), newKrn()];
      if (known) {
        await publish(purchase(id, first, { occurredAt: hoursAgo(3) }));
        await handled(id, 1);
      }
      const { nest } = idp.running;
      const subscriptions = nest.get(SubscriptionRepository, { strict: false });
      const move = async (manager: EntityManager, krn: string, hours: number) => {
        const event = { type: 'renewed', occurredAt: new Date(hoursAgo(hours)), effectiveAt: null } as const;
        const more = { entitlements: null, paymentStatus: null };
        return (await subscriptions.add(manager, [{ subscriptionId: id, krn, ...event, ...more }])).owners;
      };
      const { later } = await nest.get(DataSource).transaction(async (manager) => {
        expect(await move(manager, second, 2)).toEqual([{ id, krn: second, formerKrn: known ? first : null }]);
        const later = nest.get(DataSource).transaction((other) => move(other, third, 1));
        await eventually(async () => expect(await sessionsAtLock(manager)).toHaveLength(1));
        return { later };
      });
      expect(await later).toEqual([{ id, krn: third, formerKrn: second }]);
    },
  );

  it('the end of a subscription un-enrolls the user at once, even if the replica’s clock is behind the database’s', async () => {
    const user = await subscriber();
    const effectiveAt = hoursAgo(-1);
    await publish(sync(user.subscriptionId, { type: 'cancelled', effectiveAt }));
    await handled(user.subscriptionId, 2);
    const [queue, reconciler, locks] = [ReconciliationRepository, Reconciler, UserLocks].map((provider) =>
      idp.running.nest.get<unknown>(provider, { strict: false }),
    ) as [ReconciliationRepository, Reconciler, UserLocks];
    await locks.run(user.krn, async (budget) => {
      const claim = (await queue.claim(user.krn)) as Claim;
      await reconciler.reconcile({ ...claim, claimedAt: new Date(effectiveAt) }, budget);
      expect(codes(user)).toEqual([]);
    });
  });

  it('an end that is not committed yet when the user creates a profile ends the enrollments once it is committed', async () => {
    const user = await idp.entitledUser();
    const source = idp.running.nest.get(DataSource);
    const creating = await source.transaction(async (manager) => {
      const end = { data: sync(user.subscriptionId as string, { type: 'expired' }, user.krn) };
      await idp.running.nest.get(EnrollmentSyncService, { strict: false }).record(manager, [end]);
      const created = idp.request('POST', '', user, createBody({ version: 1 }));
      const waiting = eventually(async () => expect(await sessionsAtLock(source.manager)).toHaveLength(1));
      await Promise.race([waiting, created]);
      return { created };
    });
    expect((await creating.created).status).toBe(200);
    await eventually(() => expect(codes(user)).toEqual([]));
  });

  it('an end that is older than a renewal, but arrives later, ends nothing [idp-payments.older]', async () => {
    const user = await subscriber();
    await publish(sync(user.subscriptionId, { type: 'renewed', occurredAt: hoursAgo(1) }));
    await publish(sync(user.subscriptionId, { type: 'expired', occurredAt: hoursAgo(2) }));
    await handled(user.subscriptionId, 3);
    await eventually(async () =>
      expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [user.krn])).toEqual([]),
    );
    expect(codes(user)).toHaveLength(7);
  });

  it('a sync by support restores an enrollment that is missing at the vendor', async () => {
    const user = await subscriber();
    idp.vendor.users.get(keyOf(user))?.enrollments.set('CREDIT_SCORE', 'cancelled');
    await publish({ krn: user.krn, cause: 'support' });
    await eventually(() => expect(codes(user)).toHaveLength(7));
  });

  it('a slow call to the vendor for one user delays no other user and no event', async () => {
    const [slow, other] = await Promise.all([subscriber(), subscriber()]);
    let release: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (release = resolve));
    idp.vendor.hook = (call) => (call.clientKey === keyOf(slow) ? waiting : undefined);
    await publish(
      sync(slow.subscriptionId, { type: 'expired' }, slow.krn),
      sync(other.subscriptionId, { type: 'expired' }, other.krn),
    );
    await eventually(() => expect(codes(other)).toEqual([]));
    expect(codes(slow)).toHaveLength(7);
    release();
    idp.vendor.hook = () => undefined;
    await eventually(() => expect(codes(slow)).toEqual([]), { timeoutMs: 30_000 });
  });

  it('all 21 events of a subscription are stored when they are published together with 100 purchases of other users', async () => {
    const id = uniqueId('sub');
    const krn = newKrn();
    const later = Array.from({ length: 20 }, (_, index) => sync(id, { occurredAt: hoursAgo(20 - index) }));
    const others = Array.from({ length: 100 }, () => purchase(uniqueId('sub'), newKrn()));
    await publish(purchase(id, krn, { occurredAt: hoursAgo(30) }), ...others, ...later);
    await handled(id, 21);
    expect(await idp.database.query('select krn from idp.subscription where id = $1', [id])).toEqual([{ krn }]);
  });
});
