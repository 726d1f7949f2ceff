import { once } from 'node:events';
import path from 'node:path';
import { type AppProcess, eventually, forkApp } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import type { VendorRoute } from '../src/array/vendor-routes';
import { ALL_ENTITLEMENTS, createBody, Idp, type TestUser } from './idp';
import type { VendorCall } from './vendor';

type Step = readonly [method: string, route: VendorRoute, moment: 'before' | 'after' | '3 s before'];

/**
 * The steps around a call to the vendor at which a process is killed:
 *
 * - `before`: before the vendor carries out the call; the vendor then never carries it out
 * - `3 s before`: the same, but the vendor carries out the call 3 s later
 * - `after`: after the vendor has carried out the call, and before it answers
 */
const around = (method: string, route: VendorRoute): Step[] => [
  [method, route, 'before'],
  [method, route, '3 s before'],
  [method, route, 'after'],
];
const after = (method: string, route: VendorRoute): Step[] => [[method, route, 'after']];

const ALL_CODES = 7;
const LATE_MS = 3_000;
const REPAIRED = { timeoutMs: 45_000 };

jest.setTimeout(90_000);

/**
 * A replica is killed by SIGKILL at a step of an operation. Another replica, or the user's next attempt, then continues the operation. The
 * steps are just before and just after calls to the vendor, so they also cover the commits between two calls.
 */
describe('an idp-api that is killed', () => {
  let idp: Idp;
  const actedLate: VendorCall[] = [];
  /** The process that the next test kills, started in advance. */
  let waiting: Promise<AppProcess> | undefined;
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: '5000', VENDOR_LATE_WRITE_SECONDS: '6' } });
  });
  afterEach(() => {
    idp.vendor.hook = () => undefined;
  });
  afterAll(async () => {
    (await waiting)?.child.kill('SIGKILL');
    await idp.stop();
  });

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const profileOf = ({ krn }: TestUser) => idp.running.nest.get(ProfileRepository).find(krn);
  const codes = (user: TestUser) => idp.vendor.activeCodes(keyOf(user));
  const entitle = (user: TestUser, entitlements: readonly string[]) =>
    idp.database.query('update idp.subscription_event set entitlements = $2 where subscription_id = $1', [
      user.subscriptionId,
      entitlements,
    ]);

  const startProcess = () => forkApp(path.join(__dirname, 'idp-process.ts'), idp.environment);

  /**
   * Sends a request to a separate process, which is killed at the step. If the request has already been answered by then, the kill
   * interrupts the work that the request left to the worker.
   */
  async function killAt([method, route, moment]: Step, user: TestUser, request: readonly [string, string, object?]) {
    const { child, url } = await (waiting ?? startProcess());
    // The next process starts while this one is being tested.
    waiting = startProcess();
    let killed = false;
    idp.vendor.hook = async (call, at) => {
      if (killed || call.clientKey !== keyOf(user)) return;
      if (call.method !== method || call.route !== route || at !== (moment === 'after' ? 'after' : 'before')) return;
      killed = true;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      if (moment !== '3 s before') throw new Error('the caller is dead');
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      actedLate.push(call);
    };
    const [verb, at, body] = request;
    await idp.request(verb, at, { ...user, url }, body).catch(() => undefined);
    await eventually(() => expect(killed).toBe(true));
    if (moment === '3 s before') await eventually(() => expect(actedLate.at(-1)?.clientKey).toBe(keyOf(user)));
  }

  /**
   * Waits until nothing is left to reconcile, including calls that the vendor carried out late. Then expects the same state in our database
   * and at the vendor.
   */
  async function expectReconciled(user: TestUser) {
    // If the expectation fails, these columns show why the user is still queued.
    const queued = `
      select now(), due_at, late_write_until, look_at, requested, failures, last_error
        from idp.reconciliation where krn = $1`;
    await eventually(async () => expect(await idp.database.query(queued, [user.krn])).toEqual([]), REPAIRED);
    const stored = await idp.running.nest.get(ProfileRepository).findPersonalData(user.krn);
    const atVendor = idp.vendor.users.get(keyOf(user));
    expect(atVendor?.data.ssn).toBe(stored?.ssn);
    const sql = 'select code from idp.enrollment where krn = $1 and wanted and active order by code';
    expect(codes(user)).toEqual((await idp.database.query(sql, [user.krn])).map(({ code }) => code));
  }

  it.each([
    ...around('PUT', 'users'),
    ...around('POST', 'verify'),
    ...after('POST', 'token'),
    ...around('PUT', 'enrollments'),
  ])(
    'leaves no user without a profile at the vendor when killed in a create, at %s %s, %s the vendor acts, and the user then gets a profile',
    async (...step) => {
      const user = await idp.entitledUser();
      await killAt(step, user, ['POST', '', createBody()]);
      const made = await profileOf(user);
      if (!made) await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), { timeoutMs: 30_000 });
      const { status } = await idp.request('POST', '', user, createBody());
      expect(status).toBe(made ? 400 : 200);
      await eventually(() => expect(codes(user)).toHaveLength(3), { timeoutMs: 30_000 });
      expect(await profileOf(user)).not.toBeNull();
      await expectReconciled(user);
    },
  );

  it.each([...after('POST', 'verify'), ...around('PUT', 'enrollments')])(
    'leaves the wanted enrollments at the vendor when killed in an enroll, at %s %s, %s the vendor acts',
    async (...step) => {
      const user = await idp.createUser({}, ['idp.identity']);
      await entitle(user, ALL_ENTITLEMENTS);
      await killAt(step, user, ['POST', '/me/enroll']);
      if (step[1] === 'verify') await idp.request('POST', '/me/enroll', user);
      await eventually(() => expect(codes(user)).toHaveLength(3), { timeoutMs: 30_000 });
      await expectReconciled(user);
    },
  );

  it.each(around('PUT', 'enrollments'))(
    'leaves the enrollments of the new version when killed in a migration, at %s %s, %s the vendor acts',
    async (...step) => {
      const user = await idp.createUser();
      await killAt(step, user, ['POST', '/me/migration', { version: 1 }]);
      await eventually(() => expect(codes(user)).toHaveLength(ALL_CODES), { timeoutMs: 30_000 });
      expect(await profileOf(user)).toMatchObject({ version: 1 });
      await expectReconciled(user);
    },
  );

  it.each(around('DELETE', 'users'))(
    'leaves the user neither stored nor at the vendor when killed in a delete, at %s %s, %s the vendor acts',
    async (...step) => {
      const user = await idp.createUser();
      await killAt(step, user, ['DELETE', '/me']);
      await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), { timeoutMs: 30_000 });
      expect(await profileOf(user)).toBeNull();
      await expectReconciled(user);
      expect(idp.vendor.users.has(keyOf(user))).toBe(false);
    },
  );

  it.each([...around('PUT', 'users'), ...after('POST', 'verify')])(
    'leaves the same data stored and at the vendor when killed in a change, at %s %s, %s the vendor acts',
    async (...step) => {
      const user = await idp.createUser();
      await killAt(step, user, ['PATCH', '/me', { ssn: '6789' }]);
      await expectReconciled(user);
    },
  );
});
