import { issueServiceToken } from '@tandem/auth';
import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { type SubscriptionReceipt, supportEnrollPath, SupportUser, supportUserPath } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { type Answer, eventually, sendRequest, uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import { createBody, Idp, INTERNAL_SECRET, newKrn, type TestUser } from './idp';

jest.setTimeout(30_000);

describe('the internal operations of support', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: '3000' } });
  });
  afterEach(() => idp.vendor.faults.clear());
  afterAll(() => idp.stop());

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const token = await issueServiceToken({
      secrets: [INTERNAL_SECRET],
      from: 'idp-support',
      audience: 'idp-api',
      now: new Date(),
    });
    return sendRequest(method, idp.running.url + path, { token, body, headers });
  }

  const read = async ({ krn }: TestUser) => (await call('GET', supportUserPath(krn))).body;
  const change = ({ krn }: TestUser, body?: unknown) => call('PATCH', supportUserPath(krn), body);
  const enroll = ({ krn }: TestUser, receipts: readonly SubscriptionReceipt[] = []) =>
    call('POST', supportEnrollPath(krn), { receipts });
  const receipt = (more: Partial<SubscriptionReceipt> = {}): SubscriptionReceipt => ({
    subscriptionId: uniqueId('sub'),
    entitlements: ['idp.identity'],
    issuedAt: new Date().toISOString(),
    ...more,
  });
  const personalData = ({ krn }: TestUser) => idp.running.nest.get(ProfileRepository).findPersonalData(krn);
  const stateOf = async ({ krn }: TestUser) => ({
    verification: await idp.database.query('select * from idp.verification where krn = $1', [krn]),
    enrollments: await idp.database.query('select * from idp.enrollment where krn = $1 order by code', [krn]),
    receipts: await idp.database.query('select * from idp.subscription_receipt where krn = $1', [krn]),
    data: await personalData({ krn }),
  });
  const codes = ({ krn }: TestUser) => idp.vendor.activeCodes(arrayUserIdOf(krn));
  const activeOf = ({ body }: Answer): string[] =>
    body.enrollments.flatMap(({ code, active }: { code: string; active: boolean }) => (active ? [code] : [])).sort();
  const inLine = ({ krn }: TestUser) =>
    eventually(async () =>
      expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]),
    );

  async function publish(data: EnrollmentSync): Promise<void> {
    const outbox = idp.running.nest.get(Outbox);
    await outbox.transaction((manager) => outbox.add(manager, ENROLLMENT_SYNC, data));
  }

  const ended = (subscriptionId: string): EnrollmentSync => ({
    cause: 'subscription',
    subscription: { subscriptionId, type: 'expired', occurredAt: new Date().toISOString() },
  });

  /** A user with a profile, whose enrollments change no more by themselves. */
  async function enrolledUser(): Promise<TestUser> {
    const user = await idp.createUser();
    await inLine(user);
    return user;
  }

  /** A user whose identity the vendor refused three times. */
  async function lockedUser(): Promise<TestUser> {
    const user = await enrolledUser();
    await idp.database.query(
      `update idp.verification set attempts = 3, authenticated = false, last_attempt_at = now() where krn = $1`,
      [user.krn],
    );
    return user;
  }

  /** A user whose subscription ended after the profile was made. */
  async function formerUser(): Promise<TestUser> {
    const user = await enrolledUser();
    await publish(ended(user.subscriptionId as string));
    await eventually(() => expect(codes(user)).toEqual([]));
    await inLine(user);
    return user;
  }

  it('answers 404 to what is no KRN, 401 without a service token, and a code without a profile', async () => {
    const user = await idp.entitledUser();
    expect((await call('GET', supportUserPath('bob'))).status).toBe(404);
    expect((await sendRequest('GET', idp.running.url + supportUserPath(user.krn))).status).toBe(401);
    for (const answer of [
      await call('GET', supportUserPath(user.krn)),
      await change(user, { ssn: '6789' }),
      await call('DELETE', supportUserPath(user.krn)),
      await enroll(user),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'user_not_found']);
    }
  });

  describe('GET', () => {
    it('tells details, enrollments with their history, and what the user sees, without personal data [support-get.fields]', async () => {
      const user = await enrolledUser();
      const body = await read(user);
      expect(validateSync(plainToInstance(SupportUser, body as object))).toEqual([]);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(body.array_user_details).toEqual({
        user_id: user.krn,
        array_user_id: arrayUserIdOf(user.krn),
        version: 0,
        auth_attempts: 0,
        remaining_auth_attempts: 3,
        last_auth_attempt: time,
        created_at: time,
      });
      expect(body.enrollments.map(({ code }: { code: string }) => code).sort()).toEqual(codes(user));
      expect(body.enrollments[0]).toEqual({
        code: expect.any(String),
        active: true,
        created_at: time,
        updated_at: time,
        status_history: [{ status: 'active', at: time, reason: 'enrolled' }],
      });
      expect(body.user_status_response).toEqual((await idp.request('GET', '/me', user)).body);
      expect(JSON.stringify(body)).not.toMatch(/Quimby|Larkspur|123456789|mail\.test|5035550142|1984/);
    });
  });

  describe('PATCH', () => {
    it('changes personal data, ends a lock, and lets the user try again [support-patch.lock]', async () => {
      const user = await lockedUser();
      expect((await idp.request('POST', '/me/enroll', user)).status).toBe(403);
      const { status, body } = await change(user, { ssn: '987654321', emailAddress: ' new@mail.test ' });
      expect(status).toBe(400);
      expect(body.errors).toEqual([expect.objectContaining({ field: 'ssn' })]);
      const changed = await change(user, { ssn: '6789', emailAddress: ' new@mail.test ' });
      expect(changed).toMatchObject({
        status: 200,
        body: { array_user_details: { auth_attempts: 0, remaining_auth_attempts: 3 } },
      });
      expect(await personalData(user)).toMatchObject({ ssn: '6789', emailAddress: 'new@mail.test' });
      expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
    });

    it('changes nothing, and leaves the lock as it was, while the vendor refuses the identity [support-patch.refused]', async () => {
      const user = await lockedUser();
      const before = await stateOf(user);
      idp.vendor.faults.set('verify', { fault: 'refuse' });
      for (let attempt = 0; attempt < 4; attempt++) {
        const { status, body } = await change(user, { ssn: '6789' });
        expect([status, body.code]).toEqual([400, 'identity_not_confirmed']);
      }
      expect(await stateOf(user)).toEqual(before);
      await inLine(user);
      expect(idp.vendor.users.get(arrayUserIdOf(user.krn))?.data.ssn).toBe('123456789');
    });

    it.each([
      ['error', 502, 'vendor_failed'],
      ['hang', 504, 'vendor_timeout'],
    ] as const)(
      'changes nothing when the vendor answers with %s [support-patch.vendor]',
      async (fault, status, code) => {
        const user = await lockedUser();
        const before = await stateOf(user);
        idp.vendor.faults.set('verify', { fault });
        const answer = await change(user, { ssn: '6789' });
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        expect(await stateOf(user)).toEqual(before);
      },
    );

    it('needs an ssn, and names every field that is wrong, not what it says [support-patch.ssn, support-errors.private]', async () => {
      const user = await idp.createUser();
      const fieldsOf = async (body: unknown): Promise<string[]> => {
        const answer = await change(user, body);
        expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
        expect(JSON.stringify(answer.body)).not.toMatch(/12345|2020-01-01|Seattle/);
        return answer.body.errors.map(({ field }: { field: string }) => field).sort();
      };
      expect(await fieldsOf({ emailAddress: 'new@mail.test' })).toEqual(['ssn']);
      expect(await fieldsOf({ ssn: null })).toEqual(['ssn']);
      expect(await fieldsOf({ ssn: '12345', dob: '2020-01-01', address: { city: 'Seattle' } })).toEqual([
        'address.state',
        'address.street',
        'address.zip',
        'dob',
        'ssn',
      ]);
      expect(await fieldsOf([])).toEqual(['body']);
      expect(await fieldsOf(undefined)).toEqual(['body']);
    });
  });

  describe('DELETE', () => {
    it('erases the user here and at the vendor; a repeat finds nobody [support-delete.erases]', async () => {
      const user = await idp.createUser();
      await enroll(user, [receipt({ entitlements: ['idp.titles'] })]);
      const { status, body } = await call('DELETE', supportUserPath(user.krn));
      expect([status, body]).toEqual([200, { deleted: true }]);
      await eventually(() => expect(idp.vendor.users.has(arrayUserIdOf(user.krn))).toBe(false));
      expect((await call('DELETE', supportUserPath(user.krn))).body.code).toBe('user_not_found');
      expect((await stateOf(user)).receipts).toEqual([]);
    });

    it('ends the lock of a user who was refused before there was a profile [support-delete.attempts]', async () => {
      const user = await idp.entitledUser();
      await idp.database.query(
        'insert into idp.verification (krn, attempts, authenticated, last_attempt_at) values ($1, 3, false, now())',
        [user.krn],
      );
      expect((await idp.request('POST', '', user, createBody())).status).toBe(403);
      const { status, body } = await call('DELETE', supportUserPath(user.krn));
      expect([status, body]).toEqual([200, { deleted: true }]);
      expect((await call('DELETE', supportUserPath(user.krn))).body.code).toBe('user_not_found');
      expect((await idp.request('POST', '', user, createBody())).status).toBe(200);
    });
  });

  describe('enroll', () => {
    it('enrolls a user whose subscription ended in what a receipt brings, with the reason support [support-enroll.receipt]', async () => {
      const user = await formerUser();
      const answer = await enroll(user, [receipt({ entitlements: ['idp.identity', 'idp.credit', 'vpn'] })]);
      expect(answer.status).toBe(200);
      expect(activeOf(answer)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
      const [{ status_history: history }] = answer.body.enrollments.filter(
        ({ code }: { code: string }) => code === 'CREDIT_SCORE',
      );
      expect(history.map(({ status, reason }: { status: string; reason: string }) => [status, reason])).toEqual([
        ['active', 'enrolled'],
        ['inactive', 'entitlement_lost'],
        ['active', 'support'],
      ]);
      expect(answer.body).toEqual({ enrollments: (await read(user)).enrollments });
    });

    it('ends what a receipt brought at an end of its subscription, which billing names without a user [support-enroll.lasts]', async () => {
      const user = await formerUser();
      const brought = receipt({ entitlements: ['idp.identity', 'idp.removal'] });
      expect(activeOf(await enroll(user, [brought]))).toEqual(['DATA_REMOVAL', 'IDENTITY_MONITORING']);
      await publish(ended(brought.subscriptionId));
      await eventually(() => expect(codes(user)).toEqual([]));
      expect((await enroll(user, [brought])).body.code).toBe('entitlements_required');
    });

    it('takes nothing from the user whose subscription billing says it is [support-enroll.owner]', async () => {
      const [owner, user] = [await enrolledUser(), await formerUser()];
      const before = codes(owner);
      const { status } = await enroll(user, [receipt({ subscriptionId: owner.subscriptionId })]);
      expect(status).toBe(200);
      await idp.request('POST', '/me/enroll', owner);
      expect(codes(owner)).toEqual(before);
      await publish(ended(owner.subscriptionId as string));
      await eventually(() => expect([codes(owner), codes(user)]).toEqual([[], []]));
    });

    it('is refused without idp.identity, and keeps nothing [support-enroll.entitlements]', async () => {
      const user = await formerUser();
      const before = await stateOf(user);
      for (const receipts of [[], [receipt({ entitlements: ['idp.credit'] })]]) {
        const { status, body } = await enroll(user, receipts);
        expect([status, body.code]).toEqual([400, 'entitlements_required']);
      }
      expect(await stateOf(user)).toEqual(before);
    });

    it('is refused by a receipt that is older than the end of its subscription', async () => {
      const user = await formerUser();
      const subscriptionId = uniqueId('sub');
      await publish(ended(subscriptionId));
      await eventually(async () =>
        expect(
          await idp.database.query('select 1 from idp.subscription_event where subscription_id = $1', [subscriptionId]),
        ).toHaveLength(1),
      );
      const issuedAt = new Date(Date.now() - 60_000).toISOString();
      expect((await enroll(user, [receipt({ subscriptionId, issuedAt })])).body.code).toBe('entitlements_required');
    });

    it.each([
      ['error', 502],
      ['hang', 504],
    ] as const)('keeps no receipt when the vendor cannot verify: %s', async (fault, status) => {
      const user = await enrolledUser();
      const before = await stateOf(user);
      idp.vendor.faults.set('verify', { fault });
      expect((await enroll(user, [receipt({ entitlements: ['idp.titles'] })])).status).toBe(status);
      expect(await stateOf(user)).toEqual(before);
    });

    it('is refused while the user is locked, and keeps nothing [support-enroll.locked]', async () => {
      const user = await lockedUser();
      const { status, body } = await enroll(user, [receipt()]);
      expect([status, body.code]).toEqual([403, 'maximum_attempts_reached']);
      expect((await stateOf(user)).receipts).toEqual([]);
    });

    it('may be repeated: the same receipt is kept once, two of one moment add up', async () => {
      const user = await idp.createUser();
      const one = receipt({ entitlements: ['idp.titles'] });
      for (let time = 0; time < 3; time++) expect((await enroll(user, [one, one])).status).toBe(200);
      await enroll(user, [{ ...one, entitlements: ['idp.credit'] }]);
      const { receipts } = await stateOf(user);
      expect(receipts).toHaveLength(1);
      expect([...(receipts[0]?.['entitlements'] as string[])].sort()).toEqual(['idp.credit', 'idp.titles']);
    });

    it('keeps what several receipts of one subscription and one second bring together [support-enroll.receipt]', async () => {
      const user = await formerUser();
      const one = receipt({ entitlements: ['idp.identity'] });
      const answer = await enroll(user, [one, { ...one, entitlements: ['idp.credit'] }]);
      expect(activeOf(answer)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
      await inLine(user);
      expect(codes(user)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
    });

    it('refuses a body that is not as agreed, naming its fields', async () => {
      const user = await idp.createUser();
      const answer = await call('POST', supportEnrollPath(user.krn), { receipts: [{ subscriptionId: '' }] });
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    });
  });

  it('does nothing for a caller that has stopped waiting', async () => {
    const user = await enrolledUser();
    const before = await stateOf(user);
    idp.vendor.faults.set('verify', { fault: 'slow', delayMs: 600 });
    const late = { 'x-request-timeout-ms': '300' };
    const { status } = await call('PATCH', supportUserPath(user.krn), { ssn: '6789' }, late);
    expect(status).toBe(503);
    expect(await stateOf(user)).toEqual(before);
  });

  it('carries out a sync that support asked for: what the vendor lost is enrolled again [support-sync.carried-out]', async () => {
    const user = await enrolledUser();
    const all = codes(user);
    idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.clear();
    await publish({ krn: user.krn, cause: 'support' });
    await eventually(() => expect(codes(user)).toEqual(all));
  });

  it('does nothing for a sync of a user without a profile', async () => {
    const krn = newKrn();
    await publish({ krn, cause: 'support' });
    const user = await idp.createUser(createBody());
    await publish({ krn: user.krn, cause: 'support' });
    await inLine(user);
    expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]);
  });
});
