import { ENROLLMENT_SYNC } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { createBody, Idp, type TestUser } from './idp';
import type { VendorRoute } from '../src/array/vendor-routes';

const ROUTES: readonly VendorRoute[] = ['users', 'verify', 'token', 'enrollments'];
/** The minimum length of an outage: long enough for the pauses between runs to grow, and for breakers to open. */
const AWAY_MS = 6_000;
/** The number of users for each operation. Together, their failed calls open a breaker. */
const USERS = 4;

jest.setTimeout(150_000);

/**
 * Outages last seconds here, not minutes, so the configured pauses are also shorter than the defaults. An orphan is a user at the vendor who
 * has no profile.
 */
describe('a vendor that is down', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({
      env: { RECONCILIATION_MAX_PAUSE_SECONDS: '2', VENDOR_LATE_WRITE_SECONDS: '2' },
    });
  });
  afterAll(() => idp.stop());

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const codes = (user: TestUser) => idp.vendor.activeCodes(keyOf(user));
  const createUsers = () => Promise.all(Array.from({ length: USERS }, () => idp.createUser()));
  const statuses = async (users: readonly TestUser[], method: string, path: string, body?: object) => {
    const answers = await Promise.all(users.map((user) => idp.request(method, path, user, body)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  const entitle = ({ subscriptionId }: TestUser, entitlements: readonly string[]) =>
    idp.database.query('update idp.subscription_event set entitlements = $2 where subscription_id = $1', [
      subscriptionId,
      entitlements,
    ]);
  const sync = async (users: readonly TestUser[]) => {
    const outbox = idp.running.nest.get(Outbox);
    for (const user of users) await entitle(user, ['idp.identity']);
    await outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        ENROLLMENT_SYNC,
        users.map(({ krn }) => ({ data: { krn, cause: 'support' as const } })),
      ),
    );
  };

  it.each([
    [
      'hangs',
      () => Promise.resolve(ROUTES.forEach((route) => idp.vendor.faults.set(route, { fault: 'hang' }))),
      () => Promise.resolve(idp.vendor.faults.clear()),
      504,
    ],
    ['refuses connections', () => idp.vendor.stop(), () => idp.vendor.listen(), 502],
  ] as const)(
    'lets operations succeed later if it %s, without orphans or counted attempts [idp-vendor.return, idp-locks.vendor-fails]',
    async (_, leave, comeBack, failure) => {
      const enrolled = await createUsers();
      const moved = await createUsers();
      const deleted = await createUsers();
      const synced = await createUsers();
      const created = await Promise.all(Array.from({ length: USERS }, () => idp.entitledUser()));
      for (const user of [...enrolled, ...moved, ...deleted, ...synced]) {
        await eventually(() => expect(codes(user)).toHaveLength(3));
      }
      const before = idp.vendor.users.size;

      await leave();
      await sync(synced);
      const answers = await Promise.all([
        statuses(enrolled, 'POST', '/me/enroll'),
        statuses(created, 'POST', '', createBody()),
        statuses(moved, 'POST', '/me/migration', { version: 1 }),
        statuses(deleted, 'DELETE', '/me'),
        new Promise((resolve) => setTimeout(resolve, AWAY_MS)),
      ]);
      expect(answers.slice(2, 4)).toEqual([[200], [200]]);
      expect(answers[0]).toContain(failure);
      expect(answers[1]).not.toContain(200);
      for (const user of enrolled) {
        expect((await idp.request('GET', '/me', user)).body).toMatchObject({ authenticated: true, authAttempts: 0 });
      }
      await comeBack();

      await eventually(
        () => {
          for (const user of enrolled) expect(codes(user)).toHaveLength(3);
          for (const user of moved) expect(codes(user)).toHaveLength(7);
          for (const user of synced) expect(codes(user)).toEqual(['IDENTITY_MONITORING']);
          for (const user of [...deleted, ...created]) expect(idp.vendor.users.has(keyOf(user))).toBe(false);
        },
        { timeoutMs: 30_000 },
      );
      expect(idp.vendor.users.size).toBe(before - USERS);
      expect(await statuses(enrolled, 'POST', '/me/enroll')).toEqual([200]);
      expect(await statuses(created, 'POST', '', createBody())).toEqual([200]);
      expect(idp.vendor.users.size).toBe(before);
    },
  );
});
