import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { supportStoryPath, type UserStep, type UserStory } from '@tandem/internal-api';
import { type Answer, eventually, sendRequest, TestServiceKeys } from '@tandem/testing';
import { ALL_ENTITLEMENTS, createBody, Idp, SERVICE_KEYS, newKrn, type TestUser } from './idp';
import { report as reportVendorEvent } from './identity-events';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { VendorBook } from './vendor-reports';

// The tests use real servers, on a machine that may be busy with other tests.
jest.setTimeout(60_000);

const METRICS: UserStep = { step: 'read_vendor_metrics' };

interface Caller {
  readonly from?: string;
  readonly audience?: string;
  readonly keys?: TestServiceKeys;
}

/** The story is the answer of an internal API. It explains why a user is locked, is not enrolled, or sees no alerts. */
describe('the story of a user', () => {
  let idp: Idp;
  const book = new VendorBook();

  beforeAll(async () => {
    const env = { MOCK_ENABLED: 'true', VENDOR_LATE_WRITE_SECONDS: '1' };
    idp = await Idp.start({ vendorRoutes: book.routes, env });
  });
  afterAll(() => idp.stop());
  beforeEach(() => idp.vendor.faults.clear());

  async function ask(path: string, caller: Caller = {}): Promise<Answer> {
    const { from = 'idp-support', audience = 'idp-api', keys = SERVICE_KEYS } = caller;
    const privateKey = parseServicePrivateKey(keys.privateKeyOf(from));
    const token = await issueServiceToken({ privateKey, from, audience, now: new Date() });
    return sendRequest('GET', idp.running.url + path, { token });
  }

  async function story({ krn }: { krn: string }): Promise<UserStory> {
    const { status, body } = await ask(supportStoryPath(krn));
    expect(status).toBe(200);
    return body as UserStory;
  }
  const verdicts = async (user: TestUser): Promise<string[]> => {
    const { locked, enrolled, alerts } = await story(user);
    return [locked, enrolled, alerts].map(({ verdict }) => verdict);
  };
  const logs = ({ krn }: { krn: string }): UserStep => ({ step: 'read_logs', krn });

  /** Creates a user with a profile of version 1, enrolled at the vendor in everything that the entitlements grant. */
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

  it('never contains personal data [idp-user.story]', async () => {
    const user = await idp.entitledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
    await idp.request('POST', '', user, createBody());
    for (const one of [user, await enrolledUser()]) {
      const out = JSON.stringify(await story(one));
      expect(out).not.toMatch(/Johanna|Quimby|1984-02-29|mail\.test|5035550142|123456789|Larkspur|Portland|97201/);
    }
  });

  it('reports that nothing is wrong if the user is enrolled, can be verified and has no alerts [idp-user.story]', async () => {
    const user = await enrolledUser();
    expect(await verdicts(user)).toEqual(['not_locked', 'enrolled', 'no_alerts']);
  });

  it('reports that the user has alerts, or that only samples are shown [idp-user.story]', async () => {
    const at = '2026-01-05T09:30:00.000Z';
    const alert = { alertId: 7, bureau: 'exp', class: 'CREDIT', createDate: at, updatedDate: at };
    expect((await story(await enrolledUser([alert]))).alerts.verdict).toBe('has_alerts');
    const user = await enrolledUser();
    await idp.database.query('insert into idp.mock_flag (krn, alerts) values ($1, true)', [user.krn]);
    expect((await story(user)).alerts.verdict).toBe('samples');
    await idp.database.query(
      `insert into idp.pushed_alert (krn, alert_id, bureau, class, create_date, updated_date) values ($1, 8, 'tui', 'X', now(), now())`,
      [user.krn],
    );
    expect((await story(user)).alerts.verdict).toBe('has_alerts');
  });

  it('names the missing event when no subscription is known [idp-user.story]', async () => {
    const user = { krn: newKrn() };
    const { enrolled } = await story(user);
    expect(enrolled).toMatchObject({
      verdict: 'no_subscription',
      reason: expect.stringContaining('subscription.purchased with customer.krn is missing'),
      next: [logs(user), { step: 'list_dead_letters' }],
    });
  });

  it('names the missing event when the purchase is not captured [idp-user.story]', async () => {
    const user = await idp.entitledUser();
    await idp.database.query(
      `update idp.subscription_event set payment_status = 'pending' where subscription_id = $1`,
      [user.subscriptionId],
    );
    const { enrolled } = await story(user);
    expect(enrolled).toMatchObject({
      verdict: 'payment_not_captured',
      reason: expect.stringContaining('paymentStatus captured is missing'),
      next: [logs(user), { step: 'read_logs', oid: user.subscriptionId }],
    });
  });

  it.each(['cancelled', 'refunded', 'charged_back'])(
    'reports that the subscription was %s [idp-user.story]',
    async (type) => {
      const user = await enrolledUser();
      await addEvent(user, type);
      const { enrolled } = await story(user);
      expect(enrolled.verdict).toBe('subscription_ended');
      expect(enrolled.reason).toContain(`${user.subscriptionId} was ${type.replace('_', ' ')}`);
      expect(enrolled.reason).toContain('subscription.renewed or a new purchase is missing');
    },
  );

  it('names the planned change of the plan, until a newer event supersedes the change', async () => {
    const user = await idp.entitledUser();
    const planned = async () => (await story(user)).user.subscriptions[0]?.plannedChange;
    expect(await planned()).toBeNull();
    await idp.database.query(
      `insert into idp.subscription_event (subscription_id, type, occurred_at, effective_at, entitlements)
       values ($1, 'plan_changed', now(), '2100-01-01T00:00:00Z', '{idp.credit}')`,
      [user.subscriptionId],
    );
    expect(await planned()).toEqual({ at: '2100-01-01T00:00:00.000Z', entitlements: ['idp.credit'] });
    await addEvent(user, 'renewed', ['idp.identity']);
    expect(await planned()).toBeNull();
  });

  it('reports that the plan lacks identity protection [idp-user.story]', async () => {
    const user = await idp.entitledUser(['idp.credit']);
    expect((await story(user)).enrolled).toMatchObject({
      verdict: 'plan_without_identity',
      reason: expect.stringContaining('entitles to idp.credit, and not to idp.identity'),
    });
  });

  it('reports that the user has not created a profile yet [idp-user.story]', async () => {
    expect(await verdicts(await idp.entitledUser())).toEqual(['not_locked', 'no_profile', 'no_profile']);
  });

  /** Stores a dead letter, and returns its id. */
  async function addDeadLetter(topic: string, key: string): Promise<string> {
    const [letter] = await idp.database.query<{ id: string }>(
      `insert into idp.dead_letter (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       values ('idp-api', gen_random_uuid(), $1, 0, '1', $2, '{}', '', 'cause is missing', 1) returning id`,
      [topic, key],
    );
    return String(letter?.id);
  }

  it('names the dead letter of a user, and how to replay it [idp-user.story]', async () => {
    const user = { krn: newKrn() };
    const deadLetterId = await addDeadLetter('enrollment.sync', user.krn);
    expect((await story(user)).enrolled).toMatchObject({
      verdict: 'dead_letter',
      reason: expect.stringContaining('enrollment.sync and stored it as a dead letter: cause is missing'),
      next: [logs(user), { step: 'replay_dead_letter', app: 'idp-api', deadLetterId }],
    });
  });

  it('names the dead letter of a vendor event as the cause of missing alerts, but not of a missing entitlement [idp-user.story]', async () => {
    const user = await enrolledUser();
    const stranger = { krn: newKrn() };
    const deadLetterId = await addDeadLetter('identity.event', arrayUserIdOf(user.krn));
    await addDeadLetter('identity.event', arrayUserIdOf(stranger.krn));
    const { enrolled, alerts } = await story(user);
    expect(enrolled.verdict).toBe('enrolled');
    expect(alerts).toMatchObject({
      verdict: 'dead_letter',
      next: [logs(user), { step: 'replay_dead_letter', app: 'idp-api', deadLetterId }],
    });
    expect((await story(stranger)).enrolled.verdict).toBe('no_subscription');
    expect((await story(stranger)).deadLetters).toHaveLength(1);
  });

  it('reports until when a user is locked, and later that no attempt is left [idp-user.story]', async () => {
    const user = await idp.entitledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('POST', '', user, createBody());
    const waiting = await story(user);
    const until = waiting.user.verification.lockedUntil as string;
    expect(Date.parse(until)).toBeGreaterThan(Date.now() + 800_000);
    expect(waiting.locked).toMatchObject({
      verdict: 'waiting',
      reason: expect.stringContaining(until),
      next: [{ step: 'unlock_user', krn: user.krn }, logs(user)],
    });
    for (let attempt = 2; attempt <= 3; attempt++) {
      await idp.database.query(`update idp.verification set wait_until = now() where krn = $1`, [user.krn]);
      await idp.request('POST', '', user, createBody());
    }
    // Waits until the user that the refused create left at the vendor has been deleted there.
    await eventually(async () => expect((await story(user)).enrolled.verdict).toBe('no_profile'));
    const { locked, enrolled } = await story(user);
    expect(locked).toMatchObject({
      verdict: 'maximum',
      reason: expect.stringContaining('until support unlocks the user'),
    });
    // Without a profile, there is no data that support could change, and the user cannot create a profile while the lock lasts.
    expect(locked.reason).not.toContain('changes the personal data');
    expect(enrolled).toMatchObject({ verdict: 'no_profile', reason: expect.stringContaining('cannot create one now') });
  });

  it('advises support to correct the data of a locked user with a profile, or to unlock the user [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('PATCH', '/me', user, { ssn: '6789' });
    const { locked } = await story(user);
    expect(locked.reason).toContain(
      'unless support changes the personal data, which restores all attempts if the vendor confirms the data',
    );
    expect(locked.reason).toContain('or unlocks the user');
  });

  it('does not advise a locked user to create a profile after the user’s own delete [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    await idp.request('PATCH', '/me', user, { ssn: '6789' });
    idp.vendor.faults.clear();
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await eventually(async () => expect((await story(user)).enrolled.verdict).toBe('no_profile'));
    expect((await story(user)).enrolled.reason).toContain('cannot create one now');
  });

  it("reports that enrolling at the vendor fails, with the vendor's answer and the time of the next attempt [idp-user.story]", async () => {
    idp.vendor.faults.set('enrollments', { fault: 'error' });
    const user = await idp.createUser({ version: 1 });
    book.add(arrayUserIdOf(user.krn), {});
    // The state is read from the table, because each story calls the vendor too: ten failures in a row would open the breaker before a run
    // of the reconciler has failed.
    await eventually(async () => {
      const [row] = await idp.database.query('select failures from idp.reconciliation where krn = $1', [user.krn]);
      expect(row?.['failures']).toBeGreaterThan(0);
    });
    const { enrolled, alerts, user: stored } = await story(user);
    expect(enrolled.verdict).toBe('vendor_failing');
    expect(enrolled.reason).toMatch(
      /failed \d+ times: provider unavailable \(enrollments: .*\); the next attempt follows automatically at 20/,
    );
    expect(enrolled.next).toEqual([METRICS, logs(user)]);
    expect(alerts.verdict).toBe('vendor_unavailable');
    expect(stored.reconciliation?.lastError).toMatch(/^provider unavailable/);
  });

  it('reports that alerts cannot be read while the vendor’s route of alerts fails [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('alerts', { fault: 'error' });
    expect((await story(user)).alerts).toMatchObject({
      verdict: 'vendor_unavailable',
      reason: expect.stringContaining('provider unavailable (alerts: status 500)'),
      next: [METRICS, logs(user)],
    });
  });

  it('reports that the vendor’s state differs from ours, although the user is not queued [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.set('CREDIT_SCORE', 'cancelled');
    expect((await story(user)).enrolled).toMatchObject({
      verdict: 'out_of_line',
      reason: expect.stringMatching(/^CREDIT_SCORE should be active/),
      next: [{ step: 'sync_enrollments', krn: user.krn }, logs(user)],
    });
    idp.vendor.users.delete(arrayUserIdOf(user.krn));
    expect((await story(user)).alerts).toMatchObject({
      verdict: 'unknown_at_vendor',
      next: [{ step: 'sync_enrollments', krn: user.krn }, logs(user)],
    });
  });

  it('reports that the vendor itself ended an enrollment, and how it can start again [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.set('CREDIT_SCORE', 'cancelled');
    await reportVendorEvent(idp, user, { type: 'enrollment_cancelled', productCode: 'CREDIT_SCORE' });
    await eventually(async () => expect((await story(user)).enrolled.verdict).toBe('ended_by_vendor'));
    const { enrolled } = await story(user);
    expect(enrolled.reason).toMatch(
      /the vendor itself ended CREDIT_SCORE at 20.*: not enrolled again until the user enrolls/,
    );
    expect(enrolled.next).toEqual([{ step: 'sync_enrollments', krn: user.krn }, logs(user)]);
  });

  it('reports how many pushed alerts the vendor does not list, and how many are of an unknown bureau [idp-user.story]', async () => {
    const user = await enrolledUser();
    const push = (alertId: number, bureau: string) =>
      ({ type: 'alert_pushed', alert: { alertId, bureau, class: 'PIM' } }) as const;
    await reportVendorEvent(idp, user, push(8, 'other'));
    expect((await story(user)).alerts.verdict).toBe('no_alerts');
    await reportVendorEvent(idp, user, push(7, 'exp'));
    const { alerts } = await story(user);
    expect(alerts.verdict).toBe('has_alerts');
    expect(alerts.reason).toContain('reported but does not list yet: 1.');
    expect(alerts.reason).toContain('reported of a bureau that is unknown here: 1.');
    expect((await story(user)).user).toMatchObject({ pushedAlerts: 2, pushedAlertsOfUnknownBureau: 1 });
  });

  it('reports that the removal of a deleted user fails, until the removal has succeeded [idp-user.story]', async () => {
    const user = await enrolledUser();
    idp.vendor.faults.set('users', { fault: 'error' });
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    await eventually(async () => expect((await story(user)).enrolled.verdict).toBe('removal_failing'));
    idp.vendor.faults.clear();
    await idp.database.query('update idp.reconciliation set due_at = now() where krn = $1', [user.krn]);
    await eventually(async () => expect((await story(user)).user.reconciliation).toBeNull());
  });

  it('is available only to idp-support, by a service token for idp-api', async () => {
    const path = supportStoryPath(newKrn());
    expect((await ask(path)).status).toBe(200);
    expect((await ask(path, { from: 'operator' })).status).toBe(403);
    expect((await ask(path, { audience: 'voucher-service' })).status).toBe(401);
    expect((await ask(path, { keys: new TestServiceKeys('idp-support') })).status).toBe(401);
  });

  it('answers 404 when the path has no KRN', async () => {
    for (const text of ['bob', 'krn:tandem:dev:user:\0', `krn:a:b:user:${'u'.repeat(65)}`]) {
      expect((await ask(supportStoryPath(text))).status).toBe(404);
    }
  });
});
