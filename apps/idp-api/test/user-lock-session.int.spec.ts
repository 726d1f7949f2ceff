import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@tandem/database';
import { eventually, SwallowingProxy } from '@tandem/testing';
import { Client } from 'pg';
import type { IdpApiConfig } from '../src/config';
import { UserLockSession } from '../src/user-lock/user-lock-session';
import { Idp, newKrn } from './idp';

const VENDOR_TIMEOUT_MS = 3_000;

describe('the session of user locks', () => {
  let idp: Idp;
  let proxy: SwallowingProxy;
  const sessions: UserLockSession[] = [];
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: String(VENDOR_TIMEOUT_MS) } });
  });
  beforeEach(async () => {
    proxy = await SwallowingProxy.start(new URL(idp.database.urlFor('idp')));
  });
  afterEach(async () => {
    await proxy.stop();
    await Promise.all(sessions.splice(0).map((session) => session.onApplicationShutdown()));
  });
  afterAll(() => idp.stop());

  const open = (url: URL): UserLockSession => {
    const session = new UserLockSession({ DATABASE_URL: url.toString() } as IdpApiConfig);
    sessions.push(session);
    return session;
  };
  const overProxy = (): UserLockSession => {
    const url = new URL(idp.database.urlFor('idp'));
    url.port = proxy.port;
    url.hostname = '127.0.0.1';
    return open(url);
  };
  const direct = (): UserLockSession => open(new URL(idp.database.urlFor('idp')));

  it('is reopened after one timeout when the connection stops answering', async () => {
    const session = overProxy();
    expect(await session.tryLock(newKrn())).toBe(true);
    proxy.swallow();
    await expect(session.tryLock(newKrn())).rejects.toThrow();
    expect(await session.tryLock(newKrn())).toBe(true);
  });

  it('does not keep a lock if the answer to the statement that takes the lock never arrived', async () => {
    const krn = newKrn();
    const session = overProxy();
    expect(await session.tryLock(newKrn())).toBe(true);
    proxy.swallowAnswers();
    await expect(session.tryLock(krn)).rejects.toThrow();
    await eventually(async () => expect(await direct().tryLock(krn)).toBe(true));
  });

  it('is reopened when the server accepts only reads, because another server may be the primary now', async () => {
    const role = `alter role idp in database ${idp.database.name}`;
    const krn = newKrn();
    const session = direct();
    await idp.database.query(`${role} set default_transaction_read_only = on`);
    try {
      const error = await session.tryLock(krn).catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({ message: expect.stringContaining('read-only transaction') });
      expect(isDatabaseUnavailable(error)).toBe(true);
    } finally {
      await idp.database.query(`${role} reset default_transaction_read_only`);
    }
    expect(await session.tryLock(newKrn())).toBe(true);
    // Postgres granted the lock before `tryLock` failed. The end of that database session, soon after the failure, releases the lock.
    await eventually(async () => expect(await direct().tryLock(krn)).toBe(true));
  });

  it('takes locks while another session, such as that of a migration, locks the tables', async () => {
    const other = new Client({ connectionString: idp.database.superuserUrl });
    await other.connect();
    try {
      await other.query('begin; lock table idp.profile in access exclusive mode');
      expect(await direct().tryLock(newKrn())).toBe(true);
    } finally {
      await other.end();
    }
  });

  it('keeps the locks of its new connection when the old connection ends late', async () => {
    const krn = newKrn();
    const session = overProxy();
    await session.tryLock(newKrn());
    proxy.swallow();
    await expect(session.tryLock(newKrn())).rejects.toThrow();
    expect(await session.tryLock(krn)).toBe(true);
    expect(await direct().tryLock(krn)).toBe(false);
  });

  it('does not open a connection only to release locks, because the locks ended with the previous session', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(idp.database.urlFor('idp'));
    url.hostname = '127.0.0.1';
    url.port = String((silent.address() as AddressInfo).port);
    const session = open(url);
    const taking = expect(session.tryLock(newKrn())).rejects.toThrow();
    const released = Promise.all(Array.from({ length: 20 }, () => session.unlock(newKrn()))).then(() => true);
    // Opening a session times out after 2 s. If each unlock opened a session, the 20 unlocks would take longer than 3.5 s.
    expect(await Promise.race([released, sleep(3_500, false)])).toBe(true);
    await taking;
    silent.close();
  });

  it('does not let work begin if the work’s time limit passed before the lock was taken', async () => {
    const user = await idp.createUser();
    const session = idp.running.nest.get(UserLockSession, { strict: false });
    const tryLock = session.tryLock.bind(session);
    const late = jest.spyOn(session, 'tryLock').mockImplementation(async (krn) => {
      const isTaken = await tryLock(krn);
      if (krn === user.krn) await sleep(VENDOR_TIMEOUT_MS + 100);
      return isTaken;
    });
    expect((await idp.request('DELETE', '/me', user)).status).toBe(504);
    late.mockRestore();
    expect((await idp.request('GET', '/me', user)).status).toBe(200);
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
  });
});
