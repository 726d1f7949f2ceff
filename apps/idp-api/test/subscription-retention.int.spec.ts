import { SUBSCRIPTION_CHANGES } from '@tandem/contracts';
import { createDataSource, deleteOldRows } from '@tandem/database';
import { Retention } from '@tandem/messaging';
import { buffersRead, uniqueId } from '@tandem/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';
import { EntitlementService } from '../src/entitlement/entitlement.service';
import { type NewSubscriptionEvent, SubscriptionRepository } from '../src/entitlement/subscription.repository';
import { subscriptionOf } from '../src/entitlement/subscription.rules';
import { FORGETTABLE } from '../src/entitlement/subscription.statements';
import { ForgetEndedSubscriptions1768600000000 } from '../src/migrations/1768600000000-forget-ended-subscriptions';
import { RepairEarlyForgetAt1769300000000 } from '../src/migrations/1769300000000-repair-early-forget-at';
import { Idp, newKrn, type TestUser } from './idp';

const HOUR_MS = 3_600_000;
const ENDS = ['cancelled', 'expired', 'refunded', 'charged_back'] as const;
const monthsAfter = (time: Date, months: number): Date => {
  const later = new Date(time);
  later.setUTCMonth(later.getUTCMonth() + months);
  // If the month does not have this day, uses the last day of the month, as Postgres does.
  if (later.getUTCDate() !== time.getUTCDate()) later.setUTCDate(0);
  return later;
};

describe('the record of a subscription', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start();
  });
  afterAll(() => idp.stop());

  type EventFields = Partial<NewSubscriptionEvent> & Pick<NewSubscriptionEvent, 'type'>;
  const eventOf = (subscriptionId: string, krn: string | null, fields: EventFields): NewSubscriptionEvent => ({
    subscriptionId,
    krn,
    occurredAt: new Date(),
    effectiveAt: null,
    entitlements: null,
    paymentStatus: null,
    ...fields,
  });
  const inTransaction = (
    work: (subscriptions: SubscriptionRepository, manager: EntityManager) => Promise<unknown>,
  ): Promise<unknown> => {
    const { nest } = idp.running;
    return nest.get(DataSource).transaction((manager) => work(nest.get(SubscriptionRepository), manager));
  };
  const record = (events: readonly NewSubscriptionEvent[]): Promise<unknown> =>
    inTransaction((subscriptions, manager) => subscriptions.add(manager, events));
  const addReceipt = (krn: string, subscriptionId: string, issuedAt: Date): Promise<unknown> => {
    const receipt = { subscriptionId, issuedAt: issuedAt.toISOString(), entitlements: ['idp.titles'] };
    return inTransaction((subscriptions, manager) => subscriptions.addReceipts(manager, krn, [receipt]));
  };

  /** Records events one hour apart, the last of them now, each in a separate batch. */
  async function subscription(...events: readonly EventFields[]): Promise<{ id: string; krn: string }> {
    const [id, krn] = [uniqueId('sub'), newKrn()];
    const began = Date.now() - (events.length - 1) * HOUR_MS;
    for (const [index, one] of events.entries())
      await record([eventOf(id, krn, { occurredAt: new Date(began + index * HOUR_MS), ...one })]);
    return { id, krn };
  }

  const bought: EventFields = { type: 'purchased', paymentStatus: 'captured', entitlements: ['idp.identity'] };
  const later = (months: number, days = 0): Date =>
    new Date(monthsAfter(new Date(), months).getTime() + days * 24 * HOUR_MS);
  const deleteOld = (now: Date): Promise<void> => idp.running.nest.get(Retention).deleteExpired(now);
  async function rowsOf(id: string): Promise<{ subscriptions: number; events: number }> {
    const [rows] = await idp.database.query<{ subscriptions: number; events: number }>(
      `select (select count(*)::int from idp.subscription where id = $1) as subscriptions,
              (select count(*)::int from idp.subscription_event where subscription_id = $1) as events`,
      [id],
    );
    return rows as { subscriptions: number; events: number };
  }
  async function migrate(migration: MigrationInterface): Promise<void> {
    const client = new Client({ connectionString: idp.database.superuserUrl, options: '-c search_path=idp' });
    await client.connect();
    try {
      const query = async (sql: string, values?: unknown[]): Promise<unknown> => (await client.query(sql, values)).rows;
      await migration.up({ query } as unknown as QueryRunner);
    } finally {
      await client.end();
    }
  }
  const GONE = { subscriptions: 0, events: 0 };
  const heldBy = async ({ krn }: { krn: string }): Promise<string[]> => [
    ...(await idp.running.nest.get(EntitlementService).entitled(krn, new Date())).held,
  ];

  it.each(ENDS)(
    'is deleted 13 months after its last event, not earlier, if the subscription was %s [idp-payments.forgotten]',
    async (type) => {
      const { id } = await subscription(bought, { type });
      await deleteOld(later(13, -1));
      expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 2 });
      await deleteOld(later(13, 1));
      expect(await rowsOf(id)).toEqual(GONE);
    },
  );

  it('does not change when a purchase is recorded again, even if an earlier plan change applies to the purchase', async () => {
    const [id, { krn }] = [uniqueId('sub'), await idp.createUser()];
    const [first, second] = [new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() - HOUR_MS)];
    const changed: EventFields = { type: 'plan_changed', entitlements: ['idp.identity', 'idp.credit'] };
    await record([eventOf(id, krn, { ...changed, occurredAt: first })]);
    const purchase = eventOf(id, krn, { ...bought, occurredAt: second });
    await record([purchase]);
    const before = await heldBy({ krn });
    await record([purchase]);
    expect([before.includes('idp.credit'), await heldBy({ krn })]).toEqual([true, before]);
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 2 });
  });

  it('is the same whether its events arrive in one batch or one by one, even if one event arrives twice', async () => {
    const occurredAt = new Date(Date.now() - HOUR_MS);
    const changeTo = (entitlement: string): EventFields => ({
      type: 'plan_changed',
      occurredAt,
      entitlements: [entitlement],
    });
    const [credit, titles] = [changeTo('idp.credit'), changeTo('idp.titles')];
    const story = [{ ...bought, occurredAt: new Date(Date.now() - 2 * HOUR_MS) }, credit, titles, credit];
    const [batch, single] = [uniqueId('sub'), uniqueId('sub')];
    const [batchUser, singleUser] = [{ krn: newKrn() }, { krn: newKrn() }];
    for (const fields of story) await record([eventOf(single, singleUser.krn, fields)]);
    // The repeated event does not name the user.
    await record(story.map((fields, index) => eventOf(batch, index === 3 ? null : batchUser.krn, fields)));
    expect([await heldBy(singleUser), await rowsOf(single)]).toEqual([['idp.titles'], { subscriptions: 1, events: 3 }]);
    expect([await heldBy(batchUser), await rowsOf(batch)]).toEqual([['idp.titles'], { subscriptions: 1, events: 3 }]);
  });

  it('belongs to the user whom the last event names if the events have the same time and arrive in one batch', async () => {
    const [id, first, second] = [uniqueId('sub'), newKrn(), newKrn()];
    const occurredAt = new Date();
    await record([eventOf(id, first, { ...bought, occurredAt }), eventOf(id, second, { type: 'renewed', occurredAt })]);
    expect([await heldBy({ krn: first }), await heldBy({ krn: second })]).toEqual([[], ['idp.identity']]);
  });

  it('is deleted 13 months after a future end has taken effect', async () => {
    const { id } = await subscription(bought, { type: 'cancelled', effectiveAt: later(11) });
    await deleteOld(later(23));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 2 });
    await deleteOld(later(24, 2));
    expect(await rowsOf(id)).toEqual(GONE);
  });

  it('is kept until 13 months after a future end, even if a receipt was added and deleted before the end', async () => {
    const { id } = await subscription(bought, { type: 'cancelled', effectiveAt: later(24) });
    const holder = await idp.createUser();
    await addReceipt(holder.krn, id, new Date());
    await idp.request('DELETE', '/me', holder);
    await deleteOld(later(36));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 2 });
    await deleteOld(later(37, 2));
    expect(await rowsOf(id)).toEqual(GONE);
  });

  it.each<[string, readonly EventFields[]]>([
    [
      'never paid',
      [
        { ...bought, paymentStatus: 'pending' },
        { ...bought, paymentStatus: 'failed' },
      ],
    ],
    [
      'renewed and had a change of plan, but was never paid',
      [{ type: 'renewed' }, { type: 'plan_changed', entitlements: [] }],
    ],
    ['ended, and its next payment failed', [bought, { type: 'expired' }, { ...bought, paymentStatus: 'failed' }]],
    [
      'ended, and then had a change of plan',
      [bought, { type: 'refunded' }, { type: 'plan_changed', entitlements: [] }],
    ],
  ])('is also deleted if the subscription was %s', async (_name, events) => {
    const { id } = await subscription(...events);
    await deleteOld(later(13, -1));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: events.length });
    await deleteOld(later(13, 1));
    expect(await rowsOf(id)).toEqual(GONE);
  });

  it.each<[string, readonly EventFields[]]>([
    ['live', [bought]],
    ['bought again after its end', [bought, { type: 'cancelled' }, bought]],
    ['renewed after its end', [bought, { type: 'cancelled' }, { type: 'renewed' }]],
    [
      'renewed before a future end took effect',
      [bought, { type: 'cancelled', effectiveAt: later(1) }, { type: 'renewed' }],
    ],
  ])('is never deleted if the subscription is %s [idp-payments.forgotten]', async (_name, events) => {
    const { id, krn } = await subscription(...events);
    await deleteOld(later(1_200));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: events.length });
    expect(await heldBy({ krn })).toEqual(['idp.identity']);
  });

  it('is kept when an older release of the app, which does not write forget_at, stored a renewal', async () => {
    const { id, krn } = await subscription({ ...bought, occurredAt: later(-24) }, { type: 'expired' });
    await idp.database.query(
      `insert into idp.subscription_event (subscription_id, type, occurred_at) values ($1, 'renewed', now() + interval '1 hour')`,
      [id],
    );
    await deleteOld(later(14));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 3 });
    expect(await heldBy({ krn })).toEqual(['idp.identity']);
  });

  it('is kept when the profile is deleted, so that a paying customer who returns is entitled', async () => {
    const user: TestUser = await idp.createUser();
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await deleteOld(later(1_200));
    expect(await rowsOf(user.subscriptionId as string)).toEqual({ subscriptions: 1, events: 1 });
    expect(await heldBy(user)).toContain('idp.identity');
  });

  it('is kept while the subscription has a receipt, because the receipt would be valid again without the end', async () => {
    const user = await idp.createUser();
    const { id } = await subscription(bought, { type: 'cancelled' });
    await addReceipt(user.krn, id, later(-1));
    await deleteOld(later(14));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 2 });
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await deleteOld(later(14));
    expect(await rowsOf(id)).toEqual(GONE);
  });

  it('is deleted 13 months after the receipt if billing never reported the subscription', async () => {
    const user = await idp.createUser();
    const id = uniqueId('sub');
    await addReceipt(user.krn, id, new Date());
    await idp.request('DELETE', '/me', user);
    await deleteOld(later(12));
    expect(await rowsOf(id)).toEqual({ subscriptions: 1, events: 0 });
    await deleteOld(later(13, 1));
    expect(await rowsOf(id)).toEqual(GONE);
  });

  it('starts again without its earlier history when an event arrives after its deletion', async () => {
    const { id, krn } = await subscription(bought, { type: 'expired' });
    await deleteOld(later(13, 1));
    await record([eventOf(id, krn, { type: 'renewed' })]);
    expect([await rowsOf(id), await heldBy({ krn })]).toEqual([{ subscriptions: 1, events: 1 }, []]);
    await record([eventOf(id, krn, bought)]);
    expect(await heldBy({ krn })).toEqual(['idp.identity']);
  });

  it('has a forget_at unless the subscription is paid and has no end, in whatever order the events arrive', async () => {
    const from = Date.now() - 100 * HOUR_MS;
    const fields = fc.record({
      type: fc.constantFrom(...SUBSCRIPTION_CHANGES),
      hour: fc.integer({ min: 0, max: 12 }),
      effectiveHour: fc.option(fc.integer({ min: 0, max: 200 })),
      paymentStatus: fc.constantFrom('captured', 'pending', 'failed'),
    });
    const stories = fc.sample(fc.array(fields, { minLength: 1, maxLength: 7 }), { seed: 7, numRuns: 400 });
    const all = stories.map((story) => {
      const id = uniqueId('sub');
      return story.map(({ type, hour, effectiveHour, paymentStatus }) =>
        eventOf(id, null, {
          type,
          occurredAt: new Date(from + hour * HOUR_MS),
          effectiveAt: effectiveHour === null || type === 'purchased' ? null : new Date(from + effectiveHour * HOUR_MS),
          paymentStatus: type === 'purchased' ? paymentStatus : null,
        }),
      );
    });
    await record(all.flat());
    const rows = await idp.database.query<{ id: string; at: Date | null }>(
      'select id, forget_at as at from idp.subscription',
    );
    const ageOf = new Map(rows.map(({ id, at }) => [id, at]));
    for (const events of all) {
      const { isCaptured, endsAt } = subscriptionOf(events);
      const at = ageOf.get(events[0]?.subscriptionId as string) ?? null;
      const story = events.map(({ type, paymentStatus, occurredAt }) => [type, paymentStatus, occurredAt]);
      expect([story, at === null]).toEqual([story, isCaptured && endsAt === null]);
      if (at && endsAt) expect(at.getTime()).toBeGreaterThan(monthsAfter(endsAt, 13).getTime() - 2 * HOUR_MS);
    }
  });

  it('gets its forget_at from the migration that added the column', async () => {
    const ended = await subscription(bought, { type: 'expired' });
    const live = await subscription(bought);
    await idp.database.query('update idp.subscription set forget_at = null');
    await migrate(new ForgetEndedSubscriptions1768600000000());
    await deleteOld(later(13, -1));
    expect(await rowsOf(ended.id)).toEqual({ subscriptions: 1, events: 2 });
    await deleteOld(later(13, 1));
    expect([await rowsOf(ended.id), await rowsOf(live.id)]).toEqual([GONE, { subscriptions: 1, events: 1 }]);
  });

  it('gets the right forget_at from a migration if an older release computed it from a receipt, not from the end', async () => {
    const early = await subscription(bought, { type: 'cancelled', effectiveAt: later(24) });
    const [ended, live] = [await subscription(bought, { type: 'expired' }), await subscription(bought)];
    const forgetAtOf = async (ids: readonly string[]): Promise<unknown[]> =>
      idp.database.query('select id, forget_at from idp.subscription where id = any ($1) order by id', [ids]);
    const ids = [early.id, ended.id, live.id];
    const right = await forgetAtOf(ids);
    await idp.database.query(`update idp.subscription set forget_at = now() + interval '13 months' where id = $1`, [
      early.id,
    ]);
    expect(await forgetAtOf(ids)).not.toEqual(right);
    await migrate(new RepairEarlyForgetAt1769300000000());
    expect(await forgetAtOf(ids)).toEqual(right);
  });

  it('is found by the job that deletes old rows, without a read of the rows that are kept', async () => {
    const [some, many] = [50, 200_000];
    // Autovacuum is off, because the measurement would also count the reads of autovacuum.
    await idp.database.query('alter table idp.subscription set (autovacuum_enabled = off)');
    await idp.database.query(
      `insert into idp.subscription (id, forget_at)
       select 'sub_index_' || n, case when n % ${many / some} = 0 then now() + interval '1 hour' end from generate_series(1, ${many}) n`,
    );
    await idp.database.query('vacuum analyze idp.subscription');
    const url = idp.database.urlFor('idp');
    const single = await createDataSource({ url, applicationName: 'retention', poolMax: 1 }).initialize();
    const rows = { table: 'subscription', column: 'forget_at', condition: FORGETTABLE };
    try {
      const buffers = await buffersRead(single, 'subscription', async () =>
        // The time is later than now, because the running app itself deletes the rows that are due now.
        expect(await deleteOldRows(single, rows, new Date(Date.now() + 2 * HOUR_MS))).toBe(some),
      );
      expect(buffers).toBeLessThan(20 * some);
    } finally {
      await single.destroy();
    }
  });
});
