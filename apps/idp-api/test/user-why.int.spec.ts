import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { type IdentityUser, identityUserAtVendorPath, identityUserPath } from '@tandem/internal-api';
import { type Answer, eventually, sendRequest, TestServiceKeys } from '@tandem/testing';
import { ALL_ENTITLEMENTS, createBody, Idp, SERVICE_KEYS, newKrn, type TestUser } from './idp';
import { tell } from './identity-events';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { VendorBook } from './vendor-reports';

// Real servers and programs, on a machine that may be busy with other tests.
jest.setTimeout(60_000);

const ROOT = path.join(__dirname, '../../..');
const run = promisify(execFile);

interface Reason {
  readonly verdict: string;
  readonly why: string;
  readonly next: readonly string[];
}
interface Story {
  readonly locked: Reason;
  readonly enrolled: Reason;
  readonly alerts: Reason;
  readonly facts: { readonly user: IdentityUser };
}

/** What the person on call gets from `npm run user -- why`: the real command, over the real app, on a real database. */
describe('npm run user -- why', () => {
  let idp: Idp;
  const book = new VendorBook();

  beforeAll(async () => {
    // The command runs what is built; nothing is done when it is.
    await run(
      process.execPath,
      [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', 'libs/auth/tsconfig.lib.json'],
      {
        cwd: ROOT,
      },
    );
    const env = { MOCK_ENABLED: 'true', VENDOR_LATE_WRITE_SECONDS: '1' };
    idp = await Idp.start({ vendorRoutes: book.routes, env });
  });
  afterAll(() => idp.stop());
  beforeEach(() => idp.vendor.faults.clear());

  const command = async (...args: string[]): Promise<string> => {
    const env = {
      ...process.env,
      IDP_API_URL: idp.running.url,
      OPERATOR_PRIVATE_KEY: SERVICE_KEYS.privateKeyOf('operator'),
      DATABASE_URL: idp.database.superuserUrl,
    };
    return (await run(process.execPath, [path.join(ROOT, 'tools/start/user.mjs'), ...args], { env })).stdout;
  };
  const why = async ({ krn }: TestUser): Promise<Story> => JSON.parse(await command('why', krn, '--json')) as Story;
  const verdicts = async (user: TestUser): Promise<string[]> => {
    const { locked, enrolled, alerts } = await why(user);
    return [locked, enrolled, alerts].map(({ verdict }) => verdict);
  };
  const metrics = (): string => `curl -s ${idp.running.url}/metrics | grep vendor_request_duration_seconds_count`;
  const logs = ({ krn }: TestUser): string => `npm run logs -- --krn ${krn}`;

  /** A user of version 1 whom the vendor has enrolled in everything. */
  async function enrolledUser(alerts: object[] = [], entitlements = ALL_ENTITLEMENTS): Promise<TestUser> {
    const user = await idp.createUser({ version: 1 }, entitlements);
    book.add(arrayUserIdOf(user.krn), { alerts: alerts as never });
    await eventually(async () =>
      expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [user.krn])).toEqual([]),
    );
    return user;
  }

  const addEvent = ({ subscriptionId }: TestUser, type: string, entitlements: string[] | null = null) =>
    idp.database.query(
      `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements) values ($1, $2, now(), $3)`,
      [subscriptionId, type, entitlements],
    );

  it('tells the whole story to people: subscription, profile, verification, enrollments, queue, vendor [idp-user.why]', async () => {
    const user = await enrolledUser();
    const out = await command('why', user.krn);
    const names = out.split('\n').map((line) => line.trim().split(/\s+/)[0]);
    expect([...new Set(names)]).toEqual([
      'User',
      'subscription',
      'purchased',
      'entitled',
      'profile',
      'verification',
      'enrollment',
      'active',
      'queue',
      'vendor',
      'alerts',
      'Locked:',
      'Enrolled:',
      'Alerts:',
      '',
    ]);
    expect(out).toContain(`${user.subscriptionId} live: ${ALL_ENTITLEMENTS.join(', ')}`);
    expect(out).toContain('CREDIT_SCORE wanted (enrolled), active since');
  });

  it('has no personal data, whatever is wrong with the user [idp-user.why]', async () => {
    const user = await idp.entitledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
    await idp.request('POST', '', user, createBody());
    for (const one of [user, await enrolledUser()]) {
      const out = (await command('why', one.krn)) + (await command('why', one.krn, '--json'));
      expect(out).not.toMatch(/Johanna|Quimby|1984-02-29|mail\.test|5035550142|123456789|Larkspur|Portland|97201/);
    }
  });

  it('says that nothing is wrong, and that the vendor found nothing [idp-user.why]', async () => {
    const user = await enrolledUser();
    expect(await verdicts(user)).toEqual(['not_locked', 'enrolled', 'no_alerts']);
  });

  it('says that there are alerts, and that samples are shown [idp-user.why]', async () => {
    const at = '2026-01-05T09:30:00.000Z';
    const alert = { alertId: 7, bureau: 'exp', class: 'CREDIT', createDate: at, updatedDate: at };
    expect((await why(await enrolledUser([alert]))).alerts.verdict).toBe('has_alerts');
    const user = await enrolledUser();
    await idp.database.query('insert into idp.mock_flag (krn, alerts) values ($1, true)', [user.krn]);
    expect((await why(user)).alerts.verdict).toBe('samples');
    await idp.database.query(
      `insert into idp.pushed_alert (krn, alert_id, bureau, class, create_date, updated_date) values ($1, 8, 'tui', 'X', now(), now())`,
      [user.krn],
    );
    expect((await why(user)).alerts.verdict).toBe('has_alerts');
  });

  it('names the event that is missing when no subscription is known [idp-user.why]', async () => {
    const user = { krn: newKrn() };
    const { enrolled } = await why(user);
    expect(enrolled).toMatchObject({
      verdict: 'no_subscription',
      why: expect.stringContaining('subscription.purchased with customer.krn is missing'),
      next: [logs(user), 'npm run dead-letters -- list'],
    });
  });

  it('names the event that is missing when the purchase is not captured [idp-user.why]', async () => {
    const user = await idp.entitledUser();
    await idp.database.query(
      `update idp.subscription_event set payment_status = 'pending' where subscription_id = $1`,
      [user.subscriptionId],
    );
    const { enrolled } = await why(user);
    expect(enrolled).toMatchObject({
      verdict: 'payment_not_captured',
      why: expect.stringContaining('paymentStatus captured is missing'),
      next: [logs(user), `npm run logs -- --oid ${user.subscriptionId}`],
    });
  });

  it.each(['cancelled', 'refunded', 'charged_back'])(
    'says that the subscription was %s [idp-user.why]',
    async (type) => {
      const user = await enrolledUser();
      await addEvent(user, type);
      const { enrolled } = await why(user);
      expect(enrolled.verdict).toBe('subscription_ended');
      expect(enrolled.why).toContain(`${user.subscriptionId} was ${type.replace('_', ' ')}`);
      expect(enrolled.why).toContain('subscription.renewed or a new purchase is missing');
    },
  );

  it('says that the plan lacks identity protection [idp-user.why]', async () => {
    const user = await idp.entitledUser(['idp.credit']);
    expect((await why(user)).enrolled).toMatchObject({
      verdict: 'plan_without_identity',
      why: expect.stringContaining('entitles to idp.credit, and not to idp.identity'),
    });
  });

  it('says that the user made no profile yet [idp-user.why]', async () => {
    expect(await verdicts(await idp.entitledUser())).toEqual(['not_locked', 'no_profile', 'no_profile']);
  });

  it('names the dead letter of a user or a subscription, and its replay [idp-user.why]', async () => {
    const user = { krn: newKrn() };
    const [letter] = await idp.database.query<{ id: string }>(
      `insert into idp.dead_letter (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       values ('idp-api', gen_random_uuid(), 'enrollment.sync', 0, '1', $1, '{}', '', 'cause is missing', 1) returning id`,
      [user.krn],
    );
    expect((await why(user)).enrolled).toMatchObject({
      verdict: 'dead_letter',
      why: expect.stringContaining('enrollment.sync and stored it as a dead letter: cause is missing'),
      next: [logs(user), `npm run dead-letters -- replay --app idp-api --id ${letter?.id}`],
    });
  });

  it('says until when a user is locked, then that no attempt is left [idp-user.why]', async () => {
    const user = await idp.entitledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('POST', '', user, createBody());
    const waiting = await why(user);
    const until = waiting.facts.user.verification.lockedUntil as string;
    expect(Date.parse(until)).toBeGreaterThan(Date.now() + 800_000);
    expect(waiting.locked).toMatchObject({
      verdict: 'waiting',
      why: expect.stringContaining(until),
      next: [logs(user)],
    });
    for (let attempt = 2; attempt <= 3; attempt++) {
      await idp.database.query(`update idp.verification set wait_until = now() where krn = $1`, [user.krn]);
      await idp.request('POST', '', user, createBody());
    }
    // The vendor's user of the refused create is removed meanwhile.
    await eventually(async () => expect((await why(user)).enrolled.verdict).toBe('no_profile'));
    const { locked, enrolled } = await why(user);
    expect(locked).toMatchObject({
      verdict: 'maximum',
      why: expect.stringContaining(`support unlocks the user (POST /idp/support/users/${user.krn}/unlock)`),
    });
    // Without a profile a PATCH is 404, and a create is refused.
    expect(locked.why).not.toContain('PATCH');
    expect(enrolled).toMatchObject({ verdict: 'no_profile', why: expect.stringContaining('can create none now') });
  });

  it('says that support corrects the data of a locked user with a profile, or unlocks it [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('PATCH', '/me', user, { ssn: '6789' });
    const { locked } = await why(user);
    expect(locked.why).toContain(
      'unless support corrects the data (a PATCH that the vendor confirms resets the count)',
    );
    expect(locked.why).toContain(`/idp/support/users/${user.krn}/unlock`);
  });

  it('does not advise a locked user without a profile to create one after the own delete [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('PATCH', '/me', user, { ssn: '6789' });
    idp.vendor.faults.clear();
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await eventually(async () => expect((await why(user)).enrolled.verdict).toBe('no_profile'));
    expect((await why(user)).enrolled.why).toContain('can create none now');
  });

  it("says that the vendor's enrollments fail, with the vendor's answer and the next try [idp-user.why]", async () => {
    idp.vendor.faults.set('enrollments', { fault: 'error' });
    const user = await idp.createUser({ version: 1 });
    book.add(arrayUserIdOf(user.krn), {});
    await eventually(async () => {
      const { enrolled, alerts, facts } = await why(user);
      expect(enrolled.verdict).toBe('vendor_failing');
      expect(enrolled.why).toMatch(/failed \d+ times: provider unavailable \(enrollments: .*\); the next try is at 20/);
      expect(enrolled.next).toEqual([metrics(), logs(user)]);
      expect(alerts.verdict).toBe('vendor_away');
      expect(facts.user.reconciliation?.lastError).toMatch(/^provider unavailable/);
    });
  });

  it('says that alerts cannot be read while the vendor is away [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('alerts', { fault: 'error' });
    expect((await why(user)).alerts).toMatchObject({
      verdict: 'vendor_away',
      why: expect.stringContaining('provider unavailable (alerts: status 500)'),
      next: [metrics(), logs(user)],
    });
  });

  it('says that the vendor differs from what is stored while nothing is queued [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.set('CREDIT_SCORE', 'cancelled');
    expect((await why(user)).enrolled).toMatchObject({
      verdict: 'out_of_line',
      why: expect.stringMatching(/^CREDIT_SCORE should be active.*enrollment-sync/),
    });
    idp.vendor.users.delete(arrayUserIdOf(user.krn));
    expect((await why(user)).alerts.verdict).toBe('unknown_at_vendor');
  });

  it('says that the vendor itself ended an enrollment, and until when that holds [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.set('CREDIT_SCORE', 'cancelled');
    await tell(idp, user, { type: 'enrollment_cancelled', productCode: 'CREDIT_SCORE' });
    await eventually(async () => expect((await why(user)).enrolled.verdict).toBe('ended_by_vendor'));
    const { enrolled } = await why(user);
    expect(enrolled.why).toMatch(/the vendor itself ended CREDIT_SCORE at 20.*: that stays so until the user enrolls/);
    expect(enrolled.next).toEqual([logs(user)]);
    expect(await command('why', user.krn)).toContain('CREDIT_SCORE not wanted (vendor), not active');
  });

  it('says which alerts the vendor told of and does not list, and those of an unknown bureau [idp-user.why]', async () => {
    const user = await enrolledUser();
    const push = (alertId: number, bureau: string) =>
      ({ type: 'alert_pushed', alert: { alertId, bureau, class: 'PIM' } }) as const;
    await tell(idp, user, push(8, 'other'));
    expect((await why(user)).alerts.verdict).toBe('no_alerts');
    await tell(idp, user, push(7, 'exp'));
    const { alerts } = await why(user);
    expect(alerts.verdict).toBe('has_alerts');
    expect(alerts.why).toContain('pushed 1 that it has not listed yet');
    expect(alerts.why).toContain('pushed 1 of a bureau that is not known here');
    expect(await command('why', user.krn)).toContain(
      '2 that the vendor told of and has not listed, 1 of an unknown bureau',
    );
  });

  it('says that the removal of a deleted user is tried until it is done [idp-user.why]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('users', { fault: 'error' });
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await eventually(async () => expect((await why(user)).enrolled.verdict).toBe('removal_failing'));
    idp.vendor.faults.clear();
    await idp.database.query('update idp.reconciliation set due_at = now() where krn = $1', [user.krn]);
    await eventually(async () => expect((await why(user)).facts.user.reconciliation).toBeNull());
  });

  it('refuses what is no KRN, and an incomplete command', async () => {
    await expect(command('why', 'bob')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('no KRN') });
    await expect(command('why')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('give a command') });
  });

  describe('GET /internal/users/{krn}', () => {
    const ask = async (at: string, from: { audience?: string; keys?: TestServiceKeys } | null): Promise<Answer> => {
      const { audience = 'idp-api', keys = SERVICE_KEYS } = from ?? {};
      const privateKey = parseServicePrivateKey(keys.privateKeyOf('operator'));
      const token = from && (await issueServiceToken({ privateKey, from: 'operator', audience, now: new Date() }));
      return sendRequest('GET', idp.running.url + at, { token });
    };

    it('lets in only the operator, by a service token for idp-api', async () => {
      const krn = newKrn();
      for (const at of [identityUserPath(krn), identityUserAtVendorPath(krn)]) {
        expect((await ask(at, {})).status).toBe(200);
        expect((await ask(at, null)).status).toBe(401);
        expect((await ask(at, { audience: 'voucher-service' })).status).toBe(401);
        expect((await ask(at, { keys: new TestServiceKeys('operator') })).status).toBe(401);
        const user = await idp.issuers.token(krn, {});
        expect((await sendRequest('GET', idp.running.url + at, { token: user })).status).toBe(401);
      }
    });

    it('answers 404 to what is no KRN', async () => {
      for (const text of ['bob', 'krn:tandem:dev:user:\0', `krn:a:b:user:${'u'.repeat(65)}`]) {
        expect((await ask(identityUserPath(text), {})).status).toBe(404);
      }
    });
  });
});
