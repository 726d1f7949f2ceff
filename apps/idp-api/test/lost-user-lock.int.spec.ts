import { bootstrap, type RunningApp } from '@tandem/service-defaults';
import { eventually } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { app } from '../src/app';
import type { VendorRoute } from '../src/array/vendor-routes';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import type { TestUser } from './idp';
import { receipt, SupportCalls } from './support-calls';
import { sessionsAtLock } from './sessions-at-lock';

describe('idp-api, when a request has lost the user’s lock and another replica has deleted the user,', () => {
  let support: SupportCalls;
  let replica: RunningApp;
  beforeAll(async () => {
    support = await SupportCalls.start();
    replica = await bootstrap(app, support.idp.environment);
  });
  afterEach(() => {
    support.idp.vendor.hook = () => undefined;
  });
  afterAll(async () => {
    await replica.close();
    await support.idp.stop();
  });

  const NOTHING = { verification: [], enrollments: [], receipts: [], data: null };

  /** Ends the session that holds the user's lock, and deletes the user on the other replica, before the vendor answers a call of the route. */
  function loseUserDuring(route: VendorRoute, user: TestUser): void {
    let lost = false;
    support.idp.vendor.hook = async (call, moment) => {
      if (lost || call.route !== route || call.clientKey !== arrayUserIdOf(user.krn) || moment !== 'after') return;
      lost = true;
      const ended = await support.idp.database.query(
        `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and (classid::bigint << 32) | objid::bigint = hashtextextended('idp.user.' || $1, 0)`,
        [user.krn],
      );
      expect(ended).toHaveLength(1);
      const { status } = await support.idp.request('DELETE', '/me', { ...user, url: replica.url });
      expect(status).toBe(200);
    };
  }

  it.each<[string, VendorRoute, (user: TestUser) => Promise<{ status: number }>]>([
    ['an enroll', 'verify', (user) => support.idp.request('POST', '/me/enroll', user)],
    ['a request for a token', 'token', (user) => support.idp.request('POST', '/me/token', user)],
    ['an enroll of support', 'verify', (user) => support.enroll(user)],
    ['an enroll of support with a receipt', 'verify', (user) => support.enroll(user, [receipt()])],
  ])('answers 504 to %s, and stores nothing', async (_title, route, request) => {
    const user = await support.enrolledUser();
    loseUserDuring(route, user);
    expect((await request(user)).status).toBe(504);
    await support.inLine(user);
    expect(await support.stateOf(user)).toEqual(NOTHING);
  });

  it.each<[string, (user: TestUser) => Promise<{ status: number }>]>([
    ['an enroll', (user) => support.idp.request('POST', '/me/enroll', user)],
    ['a request for a token', (user) => support.idp.request('POST', '/me/token', user)],
    ['a change', (user) => support.idp.request('PATCH', '/me', user, { ssn: '6789' })],
    ['an enroll of support', (user) => support.enroll(user)],
  ])('answers 504 to %s when the vendor refuses the identity, and counts no attempt', async (_title, request) => {
    const user = await support.enrolledUser();
    support.idp.vendor.faults.set('verify', { fault: 'refuse', times: 1, clientKey: arrayUserIdOf(user.krn) });
    loseUserDuring('verify', user);
    expect((await request(user)).status).toBe(504);
    expect(await support.stateOf(user)).toEqual(NOTHING);
  });

  it('answers 504 to a migration', async () => {
    const user = await support.enrolledUser();
    const { nest } = support.idp.running;
    // Holds the row of the profile, so that the delete is committed after the migration has read the profile.
    const { migrating } = await nest.get(DataSource).transaction(async (manager) => {
      await manager.query('select from profile where krn = $1 for update', [user.krn]);
      const migrating = support.idp.request('POST', '/me/migration', user, { version: 1 });
      await eventually(async () => expect(await sessionsAtLock(manager)).toHaveLength(1));
      await nest.get(ProfileRepository, { strict: false }).delete(manager, user.krn);
      return { migrating };
    });
    expect((await migrating).status).toBe(504);
  });
});
