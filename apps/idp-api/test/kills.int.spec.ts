import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import type { VendorRoute } from '../src/vendor/vendor.routes';
import { ALL_ENTITLEMENTS, createBody, Idp, type TestUser } from './idp';

type Step = readonly [method: string, route: VendorRoute, moment: 'before' | 'after'];

/** Each call of the vendor that an operation makes, before the vendor acts on it and after that. */
const stepsOf = (...calls: readonly (readonly [method: string, route: VendorRoute])[]): Step[] =>
  calls.flatMap(([method, route]) => [[method, route, 'before'] as const, [method, route, 'after'] as const]);

const ALL_CODES = 7;

jest.setTimeout(90_000);

/**
 * A replica is killed by SIGKILL at a step of an operation, the commits between the steps included. Another replica goes on, and so
 * does the next try of the user.
 */
describe('an idp-api that is killed', () => {
  let idp: Idp;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: '3000' } });
  });
  afterEach(() => {
    idp.vendor.hook = () => undefined;
    child?.kill('SIGKILL');
  });
  afterAll(() => idp.stop());

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const profileOf = ({ krn }: TestUser) => idp.running.nest.get(ProfileRepository).find(krn);
  const codes = (user: TestUser) => idp.vendor.activeCodes(keyOf(user));
  const entitle = (user: TestUser, entitlements: readonly string[]) =>
    idp.database.query('update idp.subscription_event set entitlements = $2 where subscription_id = $1', [
      user.subscriptionId,
      entitlements,
    ]);

  async function startProcess(): Promise<string> {
    child = fork(path.join(__dirname, 'idp-process.ts'), [], {
      execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
      env: {
        ...process.env,
        SWC_NODE_PROJECT: path.resolve(__dirname, '../../../tsconfig.base.json'),
        ...idp.environment,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ url }] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('it did not start'))),
    ])) as [{ url: string }];
    return url;
  }

  /** Makes a request of a process of its own, which is killed at the step. */
  async function killAt([method, route, moment]: Step, user: TestUser, request: readonly [string, string, object?]) {
    const url = await startProcess();
    const victim = child as ChildProcess;
    let killed = false;
    idp.vendor.hook = async (call, at) => {
      if (killed || call.clientKey !== keyOf(user)) return;
      if (call.method !== method || call.route !== route || at !== moment) return;
      killed = true;
      const gone = once(victim, 'exit');
      victim.kill('SIGKILL');
      await gone;
      throw new Error('the caller is dead');
    };
    const [verb, at, body] = request;
    await expect(idp.request(verb, at, { ...user, url }, body)).rejects.toThrow();
    expect(killed).toBe(true);
  }

  it.each(stepsOf(['PUT', 'users'], ['POST', 'verify'], ['POST', 'token'], ['GET', 'enrollments'], ['PUT', 'enrollments']))(
    'at a create, %s %s, %s the vendor acts: no orphan, no twin, and the next try ends it',
    async (...step) => {
      const user = await idp.entitledUser();
      await killAt(step, user, ['POST', '', createBody()]);
      const made = await profileOf(user);
      if (!made) await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), { timeoutMs: 20_000 });
      const { status } = await idp.request('POST', '', user, createBody());
      expect(status).toBe(made ? 400 : 200);
      await eventually(() => expect(codes(user)).toHaveLength(3), { timeoutMs: 20_000 });
      expect(await profileOf(user)).not.toBeNull();
    },
  );

  it.each(stepsOf(['POST', 'verify'], ['GET', 'enrollments'], ['PUT', 'enrollments']))(
    'at an enroll, %s %s, %s the vendor acts: what was wanted follows',
    async (...step) => {
      const user = await idp.createUser({}, ['idp.identity']);
      await entitle(user, ALL_ENTITLEMENTS);
      await killAt(step, user, ['POST', '/me/enroll']);
      if (step[1] === 'verify') await idp.request('POST', '/me/enroll', user);
      await eventually(() => expect(codes(user)).toHaveLength(3), { timeoutMs: 20_000 });
    },
  );

  it.each(stepsOf(['GET', 'enrollments'], ['PUT', 'enrollments']))(
    'at a migration, %s %s, %s the vendor acts: the version and its codes follow',
    async (...step) => {
      const user = await idp.createUser();
      await killAt(step, user, ['POST', '/me/migration', { version: 1 }]);
      await eventually(() => expect(codes(user)).toHaveLength(ALL_CODES), { timeoutMs: 20_000 });
      expect(await profileOf(user)).toMatchObject({ version: 1 });
    },
  );

  it.each(stepsOf(['DELETE', 'users']))(
    'at a delete, %s %s, %s the vendor acts: the user is gone here and there',
    async (...step) => {
      const user = await idp.createUser();
      const url = await startProcess();
      const victim = child as ChildProcess;
      // The answer comes before the vendor is told: the worker of either replica does that.
      let killed = false;
      idp.vendor.hook = async (call, at) => {
        if (killed || call.clientKey !== keyOf(user) || call.method !== step[0] || at !== step[2]) return;
        killed = true;
        victim.kill('SIGKILL');
        if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit');
        throw new Error('the caller is dead');
      };
      await idp.request('DELETE', '/me', { ...user, url }).catch(() => undefined);
      await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), { timeoutMs: 20_000 });
      expect([killed, await profileOf(user)]).toEqual([true, null]);
    },
  );

  it.each(stepsOf(['PUT', 'users'], ['POST', 'verify']))(
    'at a change, %s %s, %s the vendor acts: the vendor has what we have',
    async (...step) => {
      const user = await idp.createUser();
      await killAt(step, user, ['PATCH', '/me', { ssn: '6789' }]);
      const profiles = idp.running.nest.get(ProfileRepository);
      await eventually(
        async () => {
          expect(idp.vendor.callsOf('users', keyOf(user)).length).toBeGreaterThan(2);
          expect(idp.vendor.users.get(keyOf(user))?.data.ssn).toBe((await profiles.findPersonalData(user.krn))?.ssn);
        },
        { timeoutMs: 20_000 },
      );
    },
  );
});

describe('a vendor that is gone', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: '3000' } });
  });
  afterAll(() => idp.stop());

  it('fails what has to be verified, and gets what is wanted when it is back [idp-vendor.return]', async () => {
    const [moved, deleted] = await Promise.all([idp.createUser(), idp.createUser()]);
    await idp.vendor.stop();
    expect((await idp.request('POST', '/me/token', moved)).status).toBe(502);
    expect((await idp.request('POST', '/me/migration', moved, { version: 1 })).status).toBe(200);
    expect((await idp.request('DELETE', '/me', deleted)).status).toBe(200);
    // Long enough for the pauses to grow.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await idp.vendor.listen();
    await eventually(
      () => {
        expect(idp.vendor.activeCodes(arrayUserIdOf(moved.krn))).toHaveLength(ALL_CODES);
        expect(idp.vendor.users.has(arrayUserIdOf(deleted.krn))).toBe(false);
      },
      { timeoutMs: 30_000 },
    );
  });
});
