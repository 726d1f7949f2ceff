import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { type AppProcess, eventually, forkApp, uniqueId } from '@tandem/testing';
import fc from 'fast-check';
import type { EnrollmentCode } from '../src/array/enrollment-codes';
import { codesGranted } from '../src/entitlement/entitlement.rules';
import { EntitlementService } from '../src/entitlement/entitlement.service';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import { eventOf, publishEvents } from './identity-events';
import { createBody, Idp, type TestUser } from './idp';
import type { VendorCall } from './vendor';

const HISTORIES = 200;
const AT_ONCE = 25;
const VENDOR_TIMEOUT_MS = 600;
/** How long after a timeout the vendor carries out a call that acts late. */
const LATE_MS = 400;
const LATE_WRITE_SECONDS = 3;
/** The largest lag of a replica of the vendor. It must be shorter than VENDOR_REPLICATION_SECONDS, which is 1 here. */
const MAX_LAG_MS = 700;
const KILL_EVERY_MS = 4_000;
const PLANS = {
  vpn: [],
  advanced: ['idp.identity', 'idp.credit', 'idp.removal'],
  pro: ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'],
} as const;

const STEPS = [
  ...['create', 'create', 'enroll', 'migrate', 'change', 'delete'],
  ...['purchase', 'purchase', 'expire', 'renew', 'change plan', 'sync'],
  ...['vendor cancels', 'vendor cancels all', 'vendor takes back', 'late echo'],
] as const;
type StepName = (typeof STEPS)[number];

const step = fc.record({
  name: fc.constantFrom(...STEPS),
  code: fc.constantFrom<EnrollmentCode>('IDENTITY_MONITORING', 'CREDIT_SCORE', 'DATA_REMOVAL', 'TITLE_MONITORING'),
  plan: fc.constantFrom<keyof typeof PLANS>('vpn', 'advanced', 'advanced', 'pro'),
  pauseMs: fc.nat(400),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const history = fc.array(step, { minLength: 4, maxLength: 10 });

/** Returns a deterministic sequence of faults for the calls about one user. Most calls succeed. */
function faultsOf(seed: number): () => 'none' | 'fails' | 'breaks' | 'acts late' {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const share = (state >>> 8) / 0x1000000;
    return share < 0.06 ? 'fails' : share < 0.12 ? 'breaks' : share < 0.15 ? 'acts late' : 'none';
  };
}

type EnrollmentRow = { code: string; wanted: boolean; active: boolean; reason: string };

jest.setTimeout(300_000);

/**
 * Users, support, billing and the vendor act at random on 200 users. Meanwhile, these faults occur:
 * - Calls to the vendor fail, break or take effect late.
 * - Reads of the vendor lag, and its reports are late.
 * - Replicas of idp-api are killed one after the other.
 *
 * The title contains the seed of the histories. To run the same histories again, set HISTORY_SEED to this seed.
 */
const seed = Number(process.env['HISTORY_SEED'] ?? Date.now() % 1_000_000);

describe(`random histories of ${HISTORIES} users, seed ${seed}`, () => {
  let idp: Idp;
  let replica: AppProcess | undefined;
  let stopped = false;
  let killing: Promise<void>;
  const faults = new Map<string, () => 'none' | 'fails' | 'breaks' | 'acts late'>();
  const reports = new Set<Promise<unknown>>();
  /** The errors of reports that could not be published. */
  const lost: string[] = [];
  let random = faultsOf(seed);

  beforeAll(async () => {
    idp = await Idp.start({
      env: {
        VENDOR_TIMEOUT_MS: String(VENDOR_TIMEOUT_MS),
        VENDOR_LATE_WRITE_SECONDS: String(LATE_WRITE_SECONDS),
        VENDOR_REPLICATION_SECONDS: '1',
        RECONCILIATION_MAX_PAUSE_SECONDS: '2',
        RATE_LIMIT_ONBOARDING_PER_MINUTE: '100000',
        RATE_LIMIT_CLIENT_PER_MINUTE: '100000',
      },
    });
    idp.vendor.hook = vendorHook;
    idp.vendor.lagMs = () => Math.random() * MAX_LAG_MS;
    random = faultsOf(seed);
    killing = killOneAfterTheOther();
  });
  afterAll(async () => {
    stopped = true;
    await killing;
    replica?.child.kill('SIGKILL');
    await Promise.allSettled(reports);
    await idp.stop();
  });

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);

  async function killOneAfterTheOther(): Promise<void> {
    while (!stopped) {
      const started = await forkApp(path.join(__dirname, 'idp-process.ts'), idp.environment);
      replica = started;
      for (let waited = 0; waited < KILL_EVERY_MS && !stopped; waited += 100) await sleep(100);
      replica = undefined;
      started.child.kill('SIGKILL');
    }
  }

  async function vendorHook(call: VendorCall, moment: 'before' | 'after'): Promise<void> {
    const fault = call.method === 'GET' ? 'none' : faults.get(call.clientKey)?.();
    if (moment === 'before' && fault === 'fails') throw new Error('the vendor fails');
    if (moment === 'before' && fault === 'acts late') await sleep(VENDOR_TIMEOUT_MS + LATE_MS);
    if (moment === 'after' && call.route === 'enrollments' && call.method !== 'GET') echo(call);
    if (moment === 'after' && fault === 'breaks') throw new Error('the connection breaks');
  }

  /** Makes the vendor report, some time later, the change that a call of idp-api caused. */
  function echo({ clientKey, method, params }: VendorCall): void {
    report(clientKey, params['code'] as string, method === 'DELETE', Math.random() * 900);
  }

  function report(clientKey: string, productCode: string, ended: boolean, afterMs: number): void {
    const type = ended ? ('enrollment_cancelled' as const) : ('enrollment_started' as const);
    const event = eventOf(clientKey, { type, productCode });
    const publish = sleep(afterMs).then(() => repeated(() => publishEvents(idp, event)));
    reports.add(publish);
    const forget = () => reports.delete(publish);
    publish.then(forget, (error: Error) => {
      lost.push(error.message);
      forget();
    });
  }

  /** Publishes again after a failure: on a busy machine, a new connection to Postgres may take too long. A consumer may get an event twice. */
  const repeated = (publish: () => Promise<void>): Promise<void> => eventually(publish);

  /** Sends a request to this app or to the other replica. @returns the status; 0 when no answer came, because the replica was killed */
  async function ask(user: TestUser, method: string, at: string, body?: object): Promise<number> {
    const url = random() === 'none' && replica ? replica.url : undefined;
    const answer = await idp.request(method, at, { ...user, ...(url && { url }) }, body).catch(() => undefined);
    return answer?.status ?? 0;
  }

  function billing(user: TestUser, type: string, plan: keyof typeof PLANS): Promise<void> {
    const outbox = idp.running.nest.get(Outbox);
    const subscription = {
      subscriptionId: user.subscriptionId as string,
      type,
      occurredAt: new Date().toISOString(),
      entitlements: PLANS[plan],
      ...(type === 'purchased' && { paymentStatus: 'captured' }),
    };
    const data = (
      type === 'sync' ? { krn: user.krn, cause: 'support' } : { krn: user.krn, cause: 'subscription', subscription }
    ) as EnrollmentSync;
    return repeated(() => outbox.transaction((manager) => outbox.addMany(manager, ENROLLMENT_SYNC, [{ data }])));
  }

  /** When the vendor last ended each code on its own, and when the user's last successful enroll began, by `performance.now()`. */
  interface Memory {
    readonly endedAt: Map<string, number>;
    askedAt: number;
    changes: number;
  }

  const atVendor = (user: TestUser) => idp.vendor.users.get(keyOf(user))?.enrollments;

  const acts: Record<StepName, (user: TestUser, step: Step, memory: Memory) => Promise<unknown> | void> = {
    create: (user) => ask(user, 'POST', '', createBody({ emailAddress: `${uniqueId('a')}@mail.test` })),
    enroll: async (user, _, memory) => {
      const startedAt = performance.now();
      if ((await ask(user, 'POST', '/me/enroll')) === 200) memory.askedAt = startedAt;
    },
    migrate: (user) => ask(user, 'POST', '/me/migration', { version: 1 }),
    change: (user, _, memory) => ask(user, 'PATCH', '/me', { ssn: String(1000 + ++memory.changes) }),
    delete: (user) => ask(user, 'DELETE', '/me'),
    purchase: (user, { plan }) => billing(user, 'purchased', plan),
    expire: (user, { plan }) => billing(user, 'expired', plan),
    renew: (user, { plan }) => billing(user, 'renewed', plan),
    'change plan': (user, { plan }) => billing(user, 'plan_changed', plan),
    sync: (user, { plan }) => billing(user, 'sync', plan),
    'vendor cancels': (user, { code, pauseMs }, memory) => {
      if (atVendor(user)?.get(code) !== 'active') return;
      atVendor(user)?.set(code, 'cancelled');
      memory.endedAt.set(code, performance.now());
      report(keyOf(user), code, true, pauseMs * 2);
    },
    'vendor cancels all': (user, { pauseMs }, memory) => {
      for (const code of idp.vendor.activeCodes(keyOf(user))) {
        atVendor(user)?.set(code, 'cancelled');
        memory.endedAt.set(code, performance.now());
        report(keyOf(user), code, true, Math.random() * pauseMs);
      }
    },
    'vendor takes back': (user, { code, pauseMs }) => {
      if (atVendor(user)?.get(code) !== 'cancelled') return;
      atVendor(user)?.set(code, 'active');
      report(keyOf(user), code, false, pauseMs * 2);
    },
    'late echo': (user, { code, pauseMs }) => report(keyOf(user), code, pauseMs % 2 === 0, pauseMs),
  };

  async function live(steps: readonly Step[], faultSeed: number): Promise<{ user: TestUser; memory: Memory }> {
    const user = await idp.entitledUser(PLANS.advanced);
    const memory: Memory = { endedAt: new Map(), askedAt: 0, changes: 0 };
    faults.set(keyOf(user), faultsOf(faultSeed));
    for (const one of steps) {
      await acts[one.name](user, one, memory);
      await sleep(one.pauseMs);
    }
    faults.delete(keyOf(user));
    return { user, memory };
  }

  async function expectConsistent(user: TestUser, memory: Memory): Promise<void> {
    const { database, running, vendor } = idp;
    const profiles = running.nest.get(ProfileRepository);
    const profile = await profiles.find(user.krn);
    const there = vendor.users.get(keyOf(user));
    if (!profile) return expect(there).toBeUndefined();
    expect(there?.data.ssn).toBe((await profiles.findPersonalData(user.krn))?.ssn);
    const rows = await database.query<EnrollmentRow>(
      'select code, wanted, active, reason from idp.enrollment where krn = $1',
      [user.krn],
    );
    const codesOf = (is: (row: (typeof rows)[number]) => boolean) =>
      rows.flatMap((row) => (is(row) ? row.code : [])).sort();
    expect(codesOf(({ active }) => active)).toEqual(vendor.activeCodes(keyOf(user)));
    expect(codesOf(({ wanted }) => wanted)).toEqual(codesOf(({ active }) => active));
    const { held } = await running.nest.get(EntitlementService).entitled(user.krn, new Date());
    const granted = codesGranted(profile.version, held);
    const ended = codesOf(({ wanted, reason }) => !wanted && reason === 'vendor');
    expect(codesOf(({ wanted }) => wanted)).toEqual([...granted].filter((code) => !ended.includes(code)).sort());
    for (const code of ended) {
      // Codes with the reason `vendor` must have been ended by the vendor itself, after the user's last successful enroll began.
      expect(memory.endedAt.get(code)).toBeGreaterThan(memory.askedAt);
    }
    const events = await database.publishedEvents('idp', 'enrollment.changed', user.krn);
    for (const row of rows) {
      const last = events.filter(({ data }) => data['code'] === row.code).at(-1);
      expect(last?.data['active'] ?? false).toBe(row.active);
    }
  }

  it('end with the wanted state at the vendor, and leave no user without a profile there [idp-vendor.histories]', async () => {
    const histories = fc.sample(history, { seed, numRuns: HISTORIES });
    const lives: { user: TestUser; memory: Memory }[] = [];
    const waiting = histories.map((steps, index) => () => live(steps, seed + index));
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) lives.push(await next());
    };
    // Waits for all workers, even if one fails: none may act after the app has stopped.
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([]);
    await eventually(() => expect(reports.size).toBe(0));
    expect(lost).toEqual([]);
    await eventually(async () => expect(await idp.database.query('select krn from idp.reconciliation')).toEqual([]), {
      timeoutMs: 60_000,
    });
    const failures: string[] = [];
    for (const { user, memory } of lives) {
      await expectConsistent(user, memory).catch((error: Error) => failures.push(`${user.krn}: ${error.message}`));
    }
    expect(failures).toEqual([]);
    expect(lives).toHaveLength(HISTORIES);
    expect([...idp.vendor.users.keys()].filter((key) => !lives.some(({ user }) => keyOf(user) === key))).toEqual([]);
  });
});
