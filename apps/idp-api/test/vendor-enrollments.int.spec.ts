import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { eventually, uniqueId } from '@tandem/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { EnrollmentSyncService } from '../src/enrollment/enrollment-sync.service';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { report, secondsAgo, type VendorEvent } from './identity-events';
import { ALL_ENTITLEMENTS, Idp, type TestUser } from './idp';

const CODE = 'CREDIT_SCORE';

/** A webhook about a user's enrollments is a hint: it changes no enrollment before idp-api has read the vendor's state. */
describe('an enrollment that the vendor starts or ends on its own', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start();
  });
  afterAll(() => idp.stop());
  beforeEach(() => {
    idp.vendor.faults.clear();
    idp.vendor.hook = () => undefined;
  });

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const atVendor = (user: TestUser) => idp.vendor.activeCodes(keyOf(user));
  const setAtVendor = (user: TestUser, status: 'active' | 'cancelled') =>
    idp.vendor.users.get(keyOf(user))?.enrollments.set(CODE, status);
  const cancelled = (receivedAt?: string): VendorEvent => ({
    type: 'enrollment_cancelled',
    productCode: CODE,
    ...(receivedAt && { receivedAt }),
  });
  const started = (): VendorEvent => ({ type: 'enrollment_started', productCode: CODE });

  const rowOf = async ({ krn }: TestUser) => {
    const sql = 'select wanted, active, reason from idp.enrollment where krn = $1 and code = $2';
    return (await idp.database.query(sql, [krn, CODE]))[0];
  };
  const history = async ({ krn }: TestUser) => {
    const sql = 'select status, reason from idp.enrollment_status where krn = $1 and code = $2 order by seq';
    return (await idp.database.query(sql, [krn, CODE])).map(({ status, reason }) => `${status} ${reason}`);
  };
  const published = async ({ krn }: TestUser) => {
    const events = await idp.database.publishedEvents('idp', 'enrollment.changed', krn);
    return events.flatMap(({ data }) => (data['code'] === CODE ? `${data['active']} ${data['reason']}` : [])).sort();
  };
  /** Waits until nothing is left to reconcile. */
  const inLine = ({ krn }: TestUser) =>
    eventually(async () =>
      expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]),
    );
  const reconcile = async (user: TestUser) => {
    await idp.database.query('insert into idp.reconciliation (krn, due_at) values ($1, now())', [user.krn]);
    await inLine(user);
  };
  const sync = (...syncs: EnrollmentSync[]) => {
    const outbox = idp.running.nest.get(Outbox);
    return outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        ENROLLMENT_SYNC,
        syncs.map((data) => ({ data })),
      ),
    );
  };
  const billing = (
    { krn }: TestUser,
    subscriptionId: string,
    type: 'purchased' | 'renewed' | 'expired',
  ): EnrollmentSync => ({
    krn,
    cause: 'subscription',
    subscription: {
      subscriptionId,
      type,
      occurredAt: new Date().toISOString(),
      entitlements: ALL_ENTITLEMENTS,
      ...(type === 'purchased' && { paymentStatus: 'captured' }),
    },
  });

  async function enrolledUser() {
    const user = (await idp.createUser()) as TestUser & { subscriptionId: string };
    await inLine(user);
    expect(atVendor(user)).toContain(CODE);
    return user;
  }
  /** Creates an enrolled user, one of whose enrollments the vendor has ended. */
  async function endedUser() {
    const user = await enrolledUser();
    setAtVendor(user, 'cancelled');
    await report(idp, user, cancelled());
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
    return user;
  }

  it('is inactive when the vendor ends it, with the reason vendor in its history and event [idp-events.cancelled]', async () => {
    const user = await enrolledUser();
    setAtVendor(user, 'cancelled');
    await report(idp, user, cancelled());
    await eventually(async () => expect(await history(user)).toEqual(['active enrolled', 'inactive vendor']));
    await eventually(async () => expect(await published(user)).toEqual(['false vendor', 'true enrolled']));
    await inLine(user);
    expect(atVendor(user)).not.toContain(CODE);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
    expect(atVendor(user)).toHaveLength(2);
  });

  it('stays inactive when the user is reconciled again, and after a renewal [idp-events.until-asked]', async () => {
    const user = await endedUser();
    await reconcile(user);
    await sync(billing(user, user.subscriptionId, 'renewed'));
    await eventually(async () => {
      const sql = 'select 1 from idp.subscription_event where subscription_id = $1';
      expect(await idp.database.query(sql, [user.subscriptionId])).toHaveLength(2);
    });
    await inLine(user);
    expect(atVendor(user)).not.toContain(CODE);
    expect(await history(user)).toEqual(['active enrolled', 'inactive vendor']);
  });

  it.each<[string, (user: TestUser & { subscriptionId: string }) => Promise<unknown>, string]>([
    ['an enroll', (user) => idp.request('POST', '/me/enroll', user), 'enrolled'],
    ['a migration', (user) => idp.request('POST', '/me/migration', user, { version: 1 }), 'migrated'],
    ['a sync by support', ({ krn }) => sync({ krn, cause: 'support' }), 'enrolled'],
    ['a new purchase', (user) => sync(billing(user, uniqueId('sub'), 'purchased')), 'enrolled'],
  ])('is active again after %s that follows its end [idp-events.until-asked]', async (_name, ask, reason) => {
    const user = await endedUser();
    await ask(user);
    await eventually(async () => expect(await rowOf(user)).toEqual({ wanted: true, active: true, reason }));
    expect(atVendor(user)).toContain(CODE);
    expect(await history(user)).toEqual(['active enrolled', 'inactive vendor', `active ${reason}`]);
  });

  it('stays inactive when a purchase that is older than its end is recorded again [idp-events.until-asked]', async () => {
    const user = await enrolledUser();
    const purchase = { data: billing(user, uniqueId('sub'), 'purchased') };
    const record = () =>
      idp.running.nest
        .get(DataSource)
        .transaction((manager) => idp.running.nest.get(EnrollmentSyncService).record(manager, [purchase]));
    await record();
    await inLine(user);
    setAtVendor(user, 'cancelled');
    await report(idp, user, cancelled());
    await inLine(user);
    await record();
    await inLine(user);
    expect(atVendor(user)).not.toContain(CODE);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
  });

  describe('while the vendor refuses to end another enrollment', () => {
    const LOST = 'DATA_REMOVAL';
    /** Creates an enrolled user. The user has lost the entitlement to another enrollment, which the vendor refuses to end. */
    async function userWithRefusedEnd() {
      const user = await enrolledUser();
      idp.vendor.faults.set('enrollments', { fault: 'conflict', clientKey: keyOf(user), code: LOST });
      await idp.database.query(
        `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements) values ($1, 'plan_changed', now(), $2)`,
        [user.subscriptionId, ALL_ENTITLEMENTS.filter((entitlement) => entitlement !== 'idp.removal')],
      );
      await reconcileOnce(user);
      return user;
    }
    /**
     * Makes the user due, and waits until the vendor has refused the end twice more. The second of these refusals belongs to a run that began
     * after this function was called.
     */
    async function reconcileOnce(user: TestUser) {
      const refusals = () =>
        idp.vendor.callsOf('enrollments', keyOf(user)).filter(({ method }) => method === 'DELETE').length;
      const before = refusals();
      const due = `insert into idp.reconciliation as r (krn, due_at) values ($1, now())
                   on conflict (krn) do update set due_at = now(), requested = r.requested + 1, failures = 0`;
      await idp.database.query(due, [user.krn]);
      await eventually(() => expect(refusals()).toBeGreaterThan(before + 1));
    }

    it('stays inactive after the vendor ends it, even if the user was enrolled shortly before [idp-events.until-asked]', async () => {
      const user = await userWithRefusedEnd();
      expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
      setAtVendor(user, 'cancelled');
      await report(idp, user, cancelled());
      await eventually(async () =>
        expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' }),
      );
      await reconcileOnce(user);
      expect(atVendor(user)).toEqual(['IDENTITY_MONITORING', LOST].sort());
      idp.vendor.faults.clear();
      await inLine(user);
      expect(atVendor(user)).toEqual(['IDENTITY_MONITORING']);
      expect(await history(user)).toEqual(['active enrolled', 'inactive vendor']);
    });

    it('is created again if, after the user enrolled again, the vendor loses it without a report [idp-events.cancelled]', async () => {
      const user = await userWithRefusedEnd();
      setAtVendor(user, 'cancelled');
      await report(idp, user, cancelled());
      await eventually(async () => expect(await rowOf(user)).toMatchObject({ reason: 'vendor' }));
      expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
      await eventually(async () => expect(await rowOf(user)).toMatchObject({ active: true }));
      await reconcileOnce(user);
      setAtVendor(user, 'cancelled');
      await reconcileOnce(user);
      await eventually(() => expect(atVendor(user)).toContain(CODE));
      expect(await history(user)).toEqual(['active enrolled', 'inactive vendor', 'active enrolled']);
    });
  });

  it('is active again when the vendor withdraws its end [idp-events.started]', async () => {
    const user = await endedUser();
    setAtVendor(user, 'active');
    await report(idp, user, started());
    await inLine(user);
    expect(await history(user)).toEqual(['active enrolled', 'inactive vendor', 'active vendor']);
    expect(atVendor(user)).toContain(CODE);
  });

  it('is not changed by the vendor’s reports of our own enroll and un-enroll [idp-events.echo]', async () => {
    const user = await enrolledUser();
    await report(idp, user, started());
    expect(await history(user)).toEqual(['active enrolled']);
    await sync(billing(user, user.subscriptionId, 'expired'));
    await eventually(async () => expect(await history(user)).toHaveLength(2));
    await inLine(user);
    await report(idp, user, cancelled());
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'entitlement_lost' });
    await report(idp, user, started());
    await inLine(user);
    expect(await history(user)).toEqual(['active enrolled', 'inactive entitlement_lost']);
    expect(await published(user)).toEqual(['false entitlement_lost', 'true enrolled']);
    await sync(billing(user, user.subscriptionId, 'renewed'));
    await eventually(() => expect(atVendor(user)).toContain(CODE));
  });

  it('is not changed by a late report of its previous end if it was requested again and the vendor shows it [idp-events.older]', async () => {
    const user = await endedUser();
    expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
    await report(idp, user, cancelled());
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: true, active: true, reason: 'enrolled' });
    expect(atVendor(user)).toContain(CODE);
  });

  it('is not ended by a late report of our own un-enroll after the user was enrolled again [idp-events.echo]', async () => {
    const user = await enrolledUser();
    await sync(billing(user, user.subscriptionId, 'expired'));
    await eventually(() => expect(atVendor(user)).not.toContain(CODE));
    await inLine(user);
    await sync(billing(user, user.subscriptionId, 'renewed'));
    await eventually(() => expect(atVendor(user)).toContain(CODE));
    await report(idp, user, cancelled(secondsAgo(0)));
    await inLine(user);
    expect(atVendor(user)).toContain(CODE);
    expect(await rowOf(user)).toEqual({ wanted: true, active: true, reason: 'enrolled' });
  });

  it('stays ended when the vendor ends all enrollments and reports them one by one [idp-events.cancelled]', async () => {
    const user = await enrolledUser();
    const codes = atVendor(user);
    for (const code of codes) idp.vendor.users.get(keyOf(user))?.enrollments.set(code, 'cancelled');
    for (const productCode of codes) {
      await report(idp, user, { type: 'enrollment_cancelled', productCode });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await inLine(user);
    expect(atVendor(user)).toEqual([]);
    const sql = 'select distinct wanted, active, reason from idp.enrollment where krn = $1';
    expect(await idp.database.query(sql, [user.krn])).toEqual([{ wanted: false, active: false, reason: 'vendor' }]);
  });

  it('is created again when the vendor lost it without a report [idp-events.cancelled]', async () => {
    const user = await enrolledUser();
    setAtVendor(user, 'cancelled');
    await reconcile(user);
    expect(atVendor(user)).toContain(CODE);
    expect(await history(user)).toEqual(['active enrolled']);
  });

  it('does not count as ended by the vendor when a run of ours ended it but could not save the result [idp-events.echo]', async () => {
    const user = await enrolledUser();
    const happens = (type: string) =>
      idp.database.query(
        `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements) values ($1, $2, clock_timestamp(), $3)`,
        [user.subscriptionId, type, ALL_ENTITLEMENTS],
      );
    let ended = false;
    idp.vendor.hook = async ({ clientKey, method, params }, moment) => {
      if (ended || clientKey !== keyOf(user) || method !== 'DELETE' || params['code'] !== CODE || moment !== 'after')
        return;
      ended = true;
      // Simulates another claim of the user, so that the run can no longer save anything.
      await idp.database.query('update idp.reconciliation set claimed = claimed + 1 where krn = $1', [user.krn]);
    };
    await happens('expired');
    await idp.database.query('insert into idp.reconciliation (krn, due_at) values ($1, now())', [user.krn]);
    await eventually(() => expect(ended).toBe(true));
    await happens('renewed');
    await report(idp, user, cancelled());
    await eventually(() => expect(atVendor(user)).toContain(CODE));
    await eventually(async () => expect((await rowOf(user))?.['reason']).toBe('enrolled'));
    expect(await rowOf(user)).toMatchObject({ wanted: true, active: true });
  });

  it('is inactive even if the vendor still shows it for a while after the report of its end [idp-events.cancelled]', async () => {
    const user = await enrolledUser();
    const reads = () => idp.vendor.callsOf('enrollments', keyOf(user)).filter(({ method }) => method === 'GET').length;
    const before = reads();
    await report(idp, user, cancelled());
    await eventually(() => expect(reads()).toBeGreaterThan(before));
    setAtVendor(user, 'cancelled');
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
    expect(reads() - before).toBeGreaterThan(1);
  });

  it('becomes active again if only a lagging replica of the vendor did not show it [idp-events.echo]', async () => {
    const user = await enrolledUser();
    setAtVendor(user, 'cancelled');
    await report(idp, user, cancelled());
    await eventually(async () => expect(await rowOf(user)).toMatchObject({ active: false }));
    setAtVendor(user, 'active');
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: true, active: true, reason: 'vendor' });
  });

  it.each(['GET', 'PUT'])(
    'is inactive after the next run if the vendor ends it during a %s of a reconciliation [idp-events.race]',
    async (method) => {
      const user = await enrolledUser();
      idp.vendor.users.get(keyOf(user))?.enrollments.set('DATA_REMOVAL', 'cancelled');
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let asked = false;
      idp.vendor.hook = async (call, moment) => {
        if (asked || call.clientKey !== keyOf(user) || call.method !== method || moment !== 'after') return;
        asked = true;
        await held;
      };
      await idp.database.query('insert into idp.reconciliation (krn, due_at) values ($1, now())', [user.krn]);
      await eventually(() => expect(asked).toBe(true));
      setAtVendor(user, 'cancelled');
      // The run holds the user's lock, and has already read that the code is active. The event is handled without waiting for the run.
      await report(idp, user, cancelled());
      release();
      await inLine(user);
      expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
      expect(await history(user)).toEqual(['active enrolled', 'inactive vendor']);
      expect(atVendor(user)).toEqual(['DATA_REMOVAL', 'IDENTITY_MONITORING']);
    },
  );

  it('becomes inactive when idp-api ends it, even if a report of its start arrives during the call [idp-events.race]', async () => {
    const user = await enrolledUser();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = false;
    idp.vendor.hook = async ({ clientKey, method, params }, moment) => {
      if (clientKey !== keyOf(user) || method !== 'DELETE' || params['code'] !== CODE || moment !== 'after') return;
      asked = true;
      await held;
    };
    await sync(billing(user, user.subscriptionId, 'expired'));
    await eventually(() => expect(asked).toBe(true));
    await report(idp, user, started());
    release();
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'entitlement_lost' });
    expect(await history(user)).toEqual(['active enrolled', 'inactive entitlement_lost']);
  });

  it('ends with its user even if it starts while the user is being deleted [idp-enrollments.user-deleted]', async () => {
    const user = await endedUser();
    const client = new Client({ connectionString: idp.database.urlFor('idp') });
    await client.connect();
    try {
      // Locks the profile's row and changes the enrollment, as a concurrent transaction could.
      await client.query('begin');
      await client.query('select from profile where krn = $1 for no key update', [user.krn]);
      const deletion = idp.request('DELETE', '/me', user);
      await eventually(async () => {
        const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        expect(await idp.database.query(sql)).toHaveLength(1);
      });
      await client.query('update enrollment set wanted = true, active = true where krn = $1 and code = $2', [
        user.krn,
        CODE,
      ]);
      await client.query('commit');
      expect((await deletion).status).toBe(200);
    } finally {
      await client.end();
    }
    await eventually(async () =>
      expect(await published(user)).toEqual(['false user_deleted', 'false vendor', 'true enrolled']),
    );
  });

  it('is not stored if its code is unknown or was never wanted, and is ended at the vendor if it was never wanted [idp-events.unknown-code]', async () => {
    const user = await enrolledUser();
    idp.vendor.users.get(keyOf(user))?.enrollments.set('TITLE_MONITORING', 'active');
    await report(
      idp,
      user,
      { type: 'enrollment_started', productCode: 'OTHER' },
      { type: 'enrollment_cancelled', productCode: 'constructor' },
      { type: 'enrollment_started', productCode: 'TITLE_MONITORING' },
    );
    await inLine(user);
    expect(await idp.database.query('select 1 from idp.enrollment where krn = $1', [user.krn])).toHaveLength(3);
    expect(atVendor(user)).toHaveLength(3);
  });

  it('has the vendor’s state after many reports of ends and starts during requests of the user [idp-events.race]', async () => {
    const user = await enrolledUser();
    const events = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? cancelled() : started()));
    await Promise.all([
      ...events.map((event) => report(idp, user, { ...event, receivedAt: secondsAgo(-1) })),
      ...Array.from({ length: 3 }, () => idp.request('POST', '/me/enroll', user)),
    ]);
    setAtVendor(user, 'cancelled');
    await report(idp, user, cancelled(secondsAgo(-2)));
    await inLine(user);
    expect(await rowOf(user)).toEqual({ wanted: false, active: false, reason: 'vendor' });
    expect(atVendor(user)).not.toContain(CODE);
    expect(await idp.database.query('select 1 from idp.dead_letter')).toEqual([]);
  });
});
