import { eventually, SwallowingProxy } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import { createBody, Idp, type TestUser } from './idp';
import type { VendorCall } from './vendor';

/** The longest time that a request may take: the sum of the timeouts of a vendor call, an SQL statement, and the session of the user locks. */
const LONGEST_MS = 10_000 + 20_000 + 5_000;

jest.setTimeout(120_000);

/** During a silent failover, statements on open connections are never answered, and new connections reach the new server. */
describe('a silent failover of Postgres during writes', () => {
  let idp: Idp;
  let proxy: SwallowingProxy;
  beforeAll(async () => {
    idp = await Idp.start({ start: false, env: { VENDOR_LATE_WRITE_SECONDS: '3' } });
    const url = new URL(idp.environment['DATABASE_URL'] as string);
    proxy = await SwallowingProxy.start(new URL(url));
    url.hostname = '127.0.0.1';
    url.port = proxy.port;
    await idp.boot({ DATABASE_URL: url.toString() });
  });
  afterEach(() => {
    idp.vendor.hook = () => undefined;
  });
  afterAll(async () => {
    await idp.stop();
    await proxy.stop();
  });

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);

  /** Starts all requests, and fails over once the vendor has processed a write of each user, but answered none of these writes. */
  async function failOverDuring(requests: readonly (() => Promise<{ status: number }>)[], users: readonly TestUser[]) {
    const waiting = new Set(users.map(keyOf));
    let swallowed: () => void = () => undefined;
    const failover = new Promise<void>((resolve) => (swallowed = resolve));
    idp.vendor.hook = async ({ clientKey, method }: VendorCall, moment) => {
      if (moment !== 'after' || method === 'GET') return;
      waiting.delete(clientKey);
      if (waiting.size === 0) {
        proxy.failOver();
        swallowed();
      }
      await failover;
    };
    const startedAt = performance.now();
    const answers = await Promise.all(
      requests.map(async (request) => ({ ...(await request()), afterMs: performance.now() - startedAt })),
    );
    idp.vendor.hook = () => undefined;
    return answers;
  }

  it('lets each request end within 35 s, leaves no lock, and leaves the same data at the vendor as in the database [idp-vendor.histories]', async () => {
    const [changed, enrolled, migrated] = await Promise.all([idp.createUser(), idp.createUser(), idp.createUser()]);
    const created = await idp.entitledUser();
    const users = [changed, enrolled, migrated, created];
    await eventually(async () => expect(await idp.database.query('select 1 from idp.reconciliation')).toEqual([]));
    const answers = await failOverDuring(
      [
        () => idp.request('PATCH', '/me', changed, { ssn: '6789' }),
        () => idp.request('POST', '/me/enroll', enrolled),
        () => idp.request('POST', '/me/migration', migrated, { version: 1 }),
        () => idp.request('POST', '', created, createBody()),
      ],
      users,
    );
    for (const { afterMs } of answers) expect(afterMs).toBeLessThan(LONGEST_MS);
    await eventually(async () => expect(await idp.database.query('select 1 from idp.reconciliation')).toEqual([]), {
      timeoutMs: 60_000,
    });
    const profiles = idp.running.nest.get(ProfileRepository);
    for (const user of users) {
      const stored = await profiles.findPersonalData(user.krn);
      expect(idp.vendor.users.get(keyOf(user))?.data.ssn).toBe(stored?.ssn);
    }
    // No lock is left: a failed create can be repeated, and the other users can change their data.
    for (const user of users) {
      const isThere = (await profiles.find(user.krn)) !== null;
      const again = isThere
        ? await idp.request('PATCH', '/me', user, { ssn: '4321' })
        : await idp.request('POST', '', user, createBody({ ssn: '4321' }));
      expect(again.status).toBe(200);
      expect(idp.vendor.users.get(keyOf(user))?.data.ssn).toBe('4321');
    }
  });
});
