import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { VendorClient } from '../src/array/vendor.client';
import { VendorError } from '../src/array/vendor.errors';
import type { VendorRoute } from '../src/array/vendor-routes';
import { UserLocks } from '../src/user-lock/user-locks';
import { report } from './identity-events';
import { createBody, Idp, type TestUser } from './idp';

const VENDOR_TIMEOUT_MS = 1_500;
/** The vendor carries out delayed calls within this time. After this time, idp-api reconciles the user once more. */
const LATE_WRITE_SECONDS = 12;
/** The time limit for waiting until idp-api has reconciled the user once more, after LATE_WRITE_SECONDS. */
const AFTERWARDS = { timeoutMs: (LATE_WRITE_SECONDS + 18) * 1_000 };
const FAILURES_THAT_OPEN_A_ROUTE = 10;

const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
let idp: Idp;
beforeAll(async () => {
  idp = await Idp.start({
    env: {
      VENDOR_TIMEOUT_MS: String(VENDOR_TIMEOUT_MS),
      VENDOR_LATE_WRITE_SECONDS: String(LATE_WRITE_SECONDS),
      RECONCILIATION_MAX_PAUSE_SECONDS: '300',
    },
  });
});
afterAll(() => idp.stop());
/** Waits until nothing is left to reconcile for a user. */
const inLine = (user: TestUser) =>
  eventually(async () =>
    expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [user.krn])).toEqual([]),
  );
/** Makes a user due at once. */
const reconcile = (user: TestUser) =>
  idp.database.query(
    `insert into idp.reconciliation as r (krn, due_at) values ($1, now())
     on conflict (krn) do update set due_at = now(), requested = r.requested + 1`,
    [user.krn],
  );
/** Stores an event of a user's subscription, and makes the user due at once. */
const bill = async (user: TestUser, type: 'expired' | 'renewed') => {
  await idp.database.query(
    `insert into idp.subscription_event (subscription_id, type, occurred_at) values ($1, $2, clock_timestamp())`,
    [user.subscriptionId, type],
  );
  await reconcile(user);
};
/** Waits until no run is left for a user except the one after LATE_WRITE_SECONDS. */
const isDueLater = (user: TestUser) =>
  eventually(async () =>
    expect(
      await idp.database.query('select due_at = late_write_until as later from idp.reconciliation where krn = $1', [
        user.krn,
      ]),
    ).toEqual([{ later: true }]),
  );

describe('a vendor that carries out failed calls later', () => {
  afterEach(() => {
    idp.vendor.hook = () => undefined;
  });
  /** Delays the user's next call of `route` with this method (and for `code`, if given) until the returned function is called. */
  const actLate = (route: VendorRoute, user: TestUser, code?: string, method: 'PUT' | 'DELETE' = 'PUT') => {
    let act!: () => void;
    const released = new Promise<void>((resolve) => (act = resolve));
    let held = false;
    idp.vendor.hook = async (call, moment) => {
      const concerned = call.route === route && call.method === method && call.clientKey === keyOf(user);
      if (held || moment !== 'before' || !concerned || call.params['code'] !== code) return;
      held = true;
      await released;
    };
    return act;
  };

  it('has no user in the end after a create that idp-api answered with 504 [idp-vendor.late]', async () => {
    const user = await idp.entitledUser();
    const act = actLate('users', user);
    expect((await idp.request('POST', '', user, createBody())).status).toBe(504);
    await eventually(() => expect(idp.vendor.callsOf('users', keyOf(user)).at(-1)?.method).toBe('DELETE'));
    act();
    await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(true), { everyMs: 1 });
    await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), AFTERWARDS);
  });

  it.each([
    ['a status of 500', () => idp.vendor.faults.set('users', { fault: 'error', times: 1 })],
    [
      'a connection that breaks after the body was sent',
      () => {
        idp.vendor.hook = ({ route, method }) => {
          if (route === 'users' && method === 'PUT') throw new Error('the connection breaks');
        };
      },
    ],
  ])(
    'has no user in the end after a create that failed with %s and took effect later [idp-vendor.late]',
    async (_, fail) => {
      const user = await idp.entitledUser();
      fail();
      expect((await idp.request('POST', '', user, createBody())).status).toBe(502);
      await eventually(() => expect(idp.vendor.callsOf('users', keyOf(user)).at(-1)?.method).toBe('DELETE'));
      idp.vendor.users.set(keyOf(user), { clientKey: keyOf(user), data: {}, enrollments: new Map() });
      await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), AFTERWARDS);
    },
  );

  it('gets the stored data again when a change is not saved because another replica took over the user', async () => {
    const user = await idp.createUser();
    await inLine(user);
    const stored = () => idp.vendor.users.get(keyOf(user));
    let seen = false;
    idp.vendor.hook = async ({ route, method, clientKey }, moment) => {
      if (seen || route !== 'users' || method !== 'PUT' || moment !== 'after' || clientKey !== keyOf(user)) return;
      seen = true;
      // Simulates another replica that has already reconciled the user.
      await idp.database.query('delete from idp.reconciliation where krn = $1', [user.krn]);
    };
    expect((await idp.request('PATCH', '/me', user, { emailAddress: 'new@mail.test' })).status).toBe(504);
    await eventually(() => expect(stored()?.data.emailAddress).toBe('johanna.quimby@mail.test'));
    await inLine(user);
  });

  it('has no unwanted enrollment in the end, even if one call timed out while another failed [idp-vendor.late]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    const act = actLate('enrollments', user, 'TITLE_MONITORING');
    const actsLate = idp.vendor.hook;
    let failuresLeft = 2;
    idp.vendor.hook = async (call, moment) => {
      const fails = call.method === 'PUT' && call.params['code'] === 'CREDIT_MONITORING' && moment === 'before';
      if (fails && failuresLeft-- > 0) throw new Error('the connection breaks');
      await actsLate(call, moment);
    };
    const codes = () => idp.vendor.activeCodes(keyOf(user));
    await idp.database.query('update idp.profile set version = 1 where krn = $1', [user.krn]);
    await reconcile(user);
    await eventually(() => expect(codes()).toHaveLength(7));
    await bill(user, 'expired');
    await eventually(() => expect(codes()).toEqual([]));
    act();
    await eventually(() => expect(codes()).toEqual(['TITLE_MONITORING']), { everyMs: 1 });
    await eventually(() => expect(codes()).toEqual([]), AFTERWARDS);
  });

  it.each([
    ['the report of its end', false],
    ['the report of its end, and a later report about another enrollment,', true],
  ])(
    'has a renewed enrollment in the end, even if our un-enroll acted late and %s arrived before the next run [idp-vendor.late]',
    async (_, hasOther) => {
      const user = await idp.createUser();
      await inLine(user);
      const codes = () => idp.vendor.activeCodes(keyOf(user));
      const cancelled = (productCode: string) => report(idp, user, { type: 'enrollment_cancelled', productCode });
      const act = actLate('enrollments', user, 'CREDIT_SCORE', 'DELETE');
      await bill(user, 'expired');
      await eventually(() => expect(codes()).toEqual([]));
      await bill(user, 'renewed');
      await isDueLater(user);
      expect(codes()).toContain('CREDIT_SCORE');
      // No run can claim the user while the test holds the user's lock.
      await idp.running.nest.get(UserLocks).run(user.krn, async () => {
        act();
        await eventually(() => expect(codes()).not.toContain('CREDIT_SCORE'));
        await cancelled('CREDIT_SCORE');
        const sql = 'select 1 from idp.reconciliation where krn = $1 and late_write_until <= now()';
        await eventually(async () => expect(await idp.database.query(sql, [user.krn])).toHaveLength(1), AFTERWARDS);
        if (hasOther) await cancelled('DATA_REMOVAL');
      });
      await inLine(user);
      expect(codes()).toContain('CREDIT_SCORE');
      const states = `select wanted, active, reason from idp.enrollment where krn = $1 and code = 'CREDIT_SCORE'`;
      expect(await idp.database.query(states, [user.krn])).toEqual([
        { wanted: true, active: true, reason: 'enrolled' },
      ]);
    },
  );

  it('has the previous data in the end after a change that idp-api answered with 504 [idp-vendor.late]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    const act = actLate('users', user);
    const emailOf = () => idp.vendor.users.get(keyOf(user))?.data.emailAddress;
    expect((await idp.request('PATCH', '/me', user, { emailAddress: 'late@mail.test' })).status).toBe(504);
    act();
    await eventually(() => expect(emailOf()).toBe('late@mail.test'), { everyMs: 1 });
    await eventually(() => expect(emailOf()).toBe('johanna.quimby@mail.test'), AFTERWARDS);
  });

  it('verifies the stored data, not the data of a change that idp-api answered with 504', async () => {
    const user = await idp.createUser();
    await inLine(user);
    const ssnOf = () => idp.vendor.users.get(keyOf(user))?.data.ssn;
    const act = actLate('users', user);
    const actsLate = idp.vendor.hook;
    idp.vendor.hook = async (call, moment) => {
      if (call.route === 'verify' && moment === 'before' && ssnOf() !== '123456789') {
        idp.vendor.faults.set('verify', { fault: 'refuse', times: 1, clientKey: keyOf(user) });
      }
      await actsLate(call, moment);
    };
    expect((await idp.request('PATCH', '/me', user, { ssn: '212345678' })).status).toBe(504);
    await isDueLater(user);
    act();
    await eventually(() => expect(ssnOf()).toBe('212345678'), { everyMs: 1 });
    expect((await idp.request('POST', '/me/token', user)).status).toBe(200);
    await isDueLater(user);
    Object.assign(idp.vendor.users.get(keyOf(user))?.data ?? {}, { ssn: '212345678' });
    expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
    expect((await idp.request('GET', '/me', user)).body).toMatchObject({ authAttempts: 0 });
  });

  it('has the data of the last change in the end, even if a broken attempt of an earlier change takes effect late [idp-vendor.late]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    let broken = false;
    idp.vendor.hook = ({ route, method, clientKey }) => {
      if (broken || route !== 'users' || method !== 'PUT' || clientKey !== keyOf(user)) return;
      broken = true;
      throw new Error('cut');
    };
    expect((await idp.request('PATCH', '/me', user, { emailAddress: 'first@mail.test' })).status).toBe(200);
    expect(broken).toBe(true);
    expect((await idp.request('PATCH', '/me', user, { emailAddress: 'last@mail.test' })).status).toBe(200);
    const emailOf = () => idp.vendor.users.get(keyOf(user))?.data.emailAddress;
    await eventually(() => expect(emailOf()).toBe('last@mail.test'));
    await isDueLater(user);
    Object.assign(idp.vendor.users.get(keyOf(user))?.data ?? {}, { emailAddress: 'first@mail.test' });
    await eventually(() => expect(emailOf()).toBe('last@mail.test'), AFTERWARDS);
  });
});

describe('a vendor that hangs while a user is reconciled', () => {
  it('leaves enough time for a request that waits for the user’s lock [idp-vendor.return]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    idp.vendor.faults.set('enrollments', { fault: 'hang', times: 1 });
    const reads = () => idp.vendor.callsOf('enrollments', keyOf(user)).filter(({ method }) => method === 'GET').length;
    const before = reads();
    await idp.database.query('insert into idp.reconciliation (krn, due_at) values ($1, now())', [user.krn]);
    await eventually(() => expect(reads()).toBeGreaterThan(before), { everyMs: 5 });
    const { status } = await idp.request('PATCH', '/me', user, { emailAddress: 'waited@mail.test' });
    expect(status).toBe(200);
    await inLine(user);
  });
});

describe('a route of the vendor whose breaker is open', () => {
  it('delays a user’s reconciliation only by seconds, not by the longer pause after failed runs [idp-vendor.return]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    await idp.database.query('update idp.profile set version = 1 where krn = $1', [user.krn]);
    idp.vendor.faults.set('enrollments', { fault: 'error' });
    const client = idp.running.nest.get(VendorClient);
    for (let call = 0; call < FAILURES_THAT_OPEN_A_ROUTE; call++) {
      await expect(client.get('enrollments', `/monitoring/v2/${keyOf(user)}`)).rejects.toThrow(VendorError);
    }
    idp.vendor.faults.clear();
    // Prepares a user who would wait minutes after another failed run.
    await idp.database.query('insert into idp.reconciliation (krn, due_at, failures) values ($1, now(), 10)', [
      user.krn,
    ]);
    await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(7), { timeoutMs: 30_000 });
  });
});
