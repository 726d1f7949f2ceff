import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { VendorClient } from '../src/vendor/vendor.client';
import { VendorError } from '../src/vendor/vendor.errors';
import { createBody, Idp, type TestUser } from './idp';

const VENDOR_TIMEOUT_MS = 500;
/** The vendor acts on a call when we have given it up, and have made up for it. */
const LATE_MS = 4_000;
const FAILURES_THAT_OPEN_A_ROUTE = 10;

const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
let idp: Idp;
beforeAll(async () => {
  idp = await Idp.start({
    env: {
      VENDOR_TIMEOUT_MS: String(VENDOR_TIMEOUT_MS),
      VENDOR_LATE_WRITE_SECONDS: '5',
      RECONCILIATION_MAX_PAUSE_SECONDS: '300',
    },
  });
});
afterAll(() => idp.stop());
/** The vendor is in line with what is stored of a user. */
const inLine = (user: TestUser) =>
  eventually(async () =>
    expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [user.krn])).toEqual([]),
  );

describe('a vendor that acts on a call after it was given up', () => {
  const actLate = () => idp.vendor.faults.set('users', { fault: 'slow', delayMs: LATE_MS, times: 1 });

  it('keeps no user of a create that was answered with 504 [idp-vendor.late]', async () => {
    const user = await idp.entitledUser();
    actLate();
    expect((await idp.request('POST', '', user, createBody())).status).toBe(504);
    await eventually(() => expect(idp.vendor.callsOf('users', keyOf(user)).at(-1)?.method).toBe('DELETE'));
    await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(true), { everyMs: 1 });
    await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false));
  });

  it('keeps no enrollment that was given up beside another one that failed, when it is not wanted any more [idp-vendor.late]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    const fails = new Map([
      ['CREDIT_MONITORING', 2],
      ['TITLE_MONITORING', 1],
    ]);
    idp.vendor.hook = async ({ method, clientKey, params: { code = '' } }, moment) => {
      const left = fails.get(code) ?? 0;
      if (method !== 'PUT' || clientKey !== keyOf(user) || moment !== 'before' || left === 0) return;
      fails.set(code, left - 1);
      if (code === 'CREDIT_MONITORING') throw new Error('the connection breaks');
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    };
    const codes = () => idp.vendor.activeCodes(keyOf(user));
    const reconcile = () =>
      idp.database.query(
        `insert into idp.reconciliation as r (krn, due_at) values ($1, now())
         on conflict (krn) do update set due_at = now(), requested = r.requested + 1`,
        [user.krn],
      );
    await idp.database.query('update idp.profile set version = 1 where krn = $1', [user.krn]);
    await reconcile();
    await eventually(() => expect(codes()).toHaveLength(7));
    await idp.database.query(
      `insert into idp.subscription_event (subscription_id, type, occurred_at) values ($1, 'expired', now())`,
      [user.subscriptionId],
    );
    await reconcile();
    await eventually(() => expect(codes()).toEqual([]));
    await eventually(() => expect(codes()).toEqual(['TITLE_MONITORING']), { everyMs: 1 });
    await eventually(() => expect(codes()).toEqual([]));
  });

  it('does not keep the data of a change that was answered with 504 [idp-vendor.late]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    actLate();
    const emailOf = () => idp.vendor.users.get(keyOf(user))?.data.emailAddress;
    expect((await idp.request('PATCH', '/me', user, { emailAddress: 'late@mail.test' })).status).toBe(504);
    await eventually(() => expect(emailOf()).toBe('late@mail.test'), { everyMs: 1 });
    await eventually(() => expect(emailOf()).toBe('johanna.quimby@mail.test'));
  });
});

describe('a route of the vendor that is left alone for a while', () => {
  it('delays a user by the time that it is left alone, not by the pause after failures [idp-vendor.return]', async () => {
    const user = await idp.createUser();
    await inLine(user);
    await idp.database.query('update idp.profile set version = 1 where krn = $1', [user.krn]);
    idp.vendor.faults.set('enrollments', { fault: 'error' });
    const client = idp.running.nest.get(VendorClient);
    for (let call = 0; call < FAILURES_THAT_OPEN_A_ROUTE; call++) {
      await expect(client.get('enrollments', `/monitoring/v2/${keyOf(user)}`)).rejects.toThrow(VendorError);
    }
    idp.vendor.faults.clear();
    // A user whose pause after a failure would be minutes.
    await idp.database.query('insert into idp.reconciliation (krn, due_at, failures) values ($1, now(), 10)', [
      user.krn,
    ]);
    await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(7), { timeoutMs: 30_000 });
  });
});
