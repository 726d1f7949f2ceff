import { SupportUser, supportUnlockPath, supportUserPath } from '@tandem/internal-api';
import { eventually, sendRequest } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { createBody, newKrn } from './idp';
import { receipt, SupportCalls } from './support-calls';

describe('the internal operations of support', () => {
  let support: SupportCalls;
  beforeAll(async () => {
    support = await SupportCalls.start();
  });
  afterEach(() => support.idp.vendor.faults.clear());
  afterAll(() => support.idp.stop());

  it('answer 404 without a KRN, 401 without a token, and user_not_found if a change, delete or enroll finds no profile', async () => {
    const user = await support.idp.entitledUser();
    expect((await support.call('GET', supportUserPath('bob'))).status).toBe(404);
    expect((await sendRequest('GET', support.idp.running.url + supportUserPath(user.krn))).status).toBe(401);
    for (const answer of [
      await support.change(user, { ssn: '6789' }),
      await support.call('DELETE', supportUserPath(user.krn)),
      await support.enroll(user),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'user_not_found']);
    }
  });

  describe('for a user without a profile', () => {
    const status = {
      authenticated: false,
      twoFactorEnabled: false,
      ssnConfigured: false,
      addressConfigured: false,
    };

    it('return what is known about the user if the user has a subscription [support-get.no-profile]', async () => {
      const user = await support.idp.entitledUser();
      const { status: code, body } = await support.call('GET', supportUserPath(user.krn));
      expect(code).toBe(200);
      expect(validateSync(plainToInstance(SupportUser, body as object))).toEqual([]);
      expect(body).toMatchObject({ array_user_details: null, enrollments: [] });
      expect(body.user_status_response).toMatchObject({
        ...status,
        arrayUserId: arrayUserIdOf(user.krn),
        authAttempts: 0,
        remainingAuthAttempts: 3,
        lastAuthAttempt: null,
      });
      expect(body.user_status_response).not.toHaveProperty('lockedUntil');
    });

    it('return the counted refusals after a refused create, and unlock the user [support-get.no-profile, support-unlock.counters]', async () => {
      const user = await support.idp.entitledUser();
      support.idp.vendor.faults.set('verify', { fault: 'refuse' });
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(429);
      const locked = (await support.call('GET', supportUserPath(user.krn))).body.user_status_response;
      expect(locked).toMatchObject({ ...status, authAttempts: 1, remainingAuthAttempts: 2 });
      expect(Date.parse(locked.lockedUntil)).toBeGreaterThan(Date.now() + 800_000);
      support.idp.vendor.faults.clear();
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(429);
      for (let time = 1; time <= 2; time++) {
        expect((await support.call('POST', supportUnlockPath(user.krn))).status).toBe(200);
      }
      const { body } = await support.call('GET', supportUserPath(user.krn));
      expect(body.user_status_response).toMatchObject({ authAttempts: 0, remainingAuthAttempts: 3 });
      expect(body.user_status_response).not.toHaveProperty('lockedUntil');
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(200);
    });

    it('unlock the user, and can be repeated, even if only refusals are stored about the user [support-unlock.counters]', async () => {
      const krn = newKrn();
      await support.idp.database.query(
        'insert into idp.verification (krn, attempts, authenticated, last_attempt_at) values ($1, 3, false, now())',
        [krn],
      );
      for (let time = 1; time <= 2; time++) {
        expect((await support.call('POST', supportUnlockPath(krn))).status).toBe(200);
      }
    });

    it('answer user_not_found when nothing is known about the user [support-errors.unknown-user]', async () => {
      for (const answer of [
        await support.call('GET', supportUserPath(newKrn())),
        await support.call('POST', supportUnlockPath(newKrn())),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([400, 'user_not_found']);
      }
    });
  });

  describe('unlock', () => {
    it('ends the lock of a user with a profile, and can be repeated [support-unlock.counters]', async () => {
      const user = await support.enrolledUser();
      support.idp.vendor.faults.set('verify', { fault: 'refuse' });
      expect((await support.idp.request('PATCH', '/me', user, { ssn: '6789' })).status).toBe(429);
      const { lockedUntil } = (await support.idp.request('GET', '/me', user)).body;
      expect(Date.parse(lockedUntil)).toBeGreaterThan(Date.now() + 800_000);
      for (let time = 1; time <= 2; time++) {
        expect((await support.call('POST', supportUnlockPath(user.krn))).body).toEqual({ unlocked: true });
      }
      const { body } = await support.idp.request('GET', '/me', user);
      expect(body).toMatchObject({ authAttempts: 0, remainingAuthAttempts: 3 });
      expect(body).not.toHaveProperty('lockedUntil');
      support.idp.vendor.faults.clear();
      expect((await support.idp.request('PATCH', '/me', user, { ssn: '6789' })).status).toBe(200);
    });

    it('waits for a verification in progress, so that its refusal is reset too [support-unlock.counters]', async () => {
      const user = await support.enrolledUser();
      support.idp.vendor.faults.set('verify', { fault: 'refuse' });
      let unlocked: Promise<unknown> | undefined;
      support.idp.vendor.hook = ({ route }, moment) => {
        if (route === 'verify' && moment === 'before') unlocked ??= support.call('POST', supportUnlockPath(user.krn));
      };
      expect((await support.idp.request('PATCH', '/me', user, { ssn: '6789' })).status).toBe(429);
      expect(await unlocked).toMatchObject({ status: 200 });
      support.idp.vendor.hook = () => undefined;
      expect((await support.idp.request('GET', '/me', user)).body).toMatchObject({ authAttempts: 0 });
    });

    it('never happens automatically when no attempt is left, so the profile has no lockedUntil [idp-user.locked-until]', async () => {
      const user = await support.enrolledUser();
      await support.idp.database.query('update idp.verification set attempts = 3, wait_until = null where krn = $1', [
        user.krn,
      ]);
      const { body } = await support.idp.request('GET', '/me', user);
      expect(body).toMatchObject({ authAttempts: 3, remainingAuthAttempts: 0 });
      expect(body).not.toHaveProperty('lockedUntil');
    });
  });

  describe('GET', () => {
    it('shows the profile, the enrollments with their history, and what the user sees, but no personal data [support-get.fields]', async () => {
      const user = await support.enrolledUser();
      const body = await support.read(user);
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
      expect(body.enrollments.map(({ code }: { code: string }) => code).sort()).toEqual(support.codes(user));
      expect(body.enrollments[0]).toEqual({
        code: expect.any(String),
        active: true,
        created_at: time,
        updated_at: time,
        status_history: [{ status: 'active', at: time, reason: 'enrolled' }],
      });
      expect(body.user_status_response).toEqual((await support.idp.request('GET', '/me', user)).body);
      expect(JSON.stringify(body)).not.toMatch(/Quimby|Larkspur|123456789|mail\.test|5035550142|1984/);
    });
  });

  describe('PATCH', () => {
    it('changes personal data, ends a verification lockout, and gives the user all attempts again [support-patch.lock]', async () => {
      const user = await support.lockedUser();
      expect((await support.idp.request('POST', '/me/enroll', user)).status).toBe(403);
      const { status, body } = await support.change(user, { ssn: '987654321', emailAddress: ' new@mail.test ' });
      expect(status).toBe(400);
      expect(body.errors).toEqual([expect.objectContaining({ field: 'ssn' })]);
      const changed = await support.change(user, { ssn: '6789', emailAddress: ' new@mail.test ' });
      expect(changed).toMatchObject({
        status: 200,
        body: { array_user_details: { auth_attempts: 0, remaining_auth_attempts: 3 } },
      });
      expect(await support.personalData(user)).toMatchObject({ ssn: '6789', emailAddress: 'new@mail.test' });
      expect((await support.idp.request('POST', '/me/enroll', user)).status).toBe(200);
    });

    it('changes nothing, not even the lock, when the vendor refuses the identity [support-patch.refused]', async () => {
      const user = await support.lockedUser();
      const before = await support.stateOf(user);
      support.idp.vendor.faults.set('verify', { fault: 'refuse' });
      for (let attempt = 0; attempt < 4; attempt++) {
        const { status, body } = await support.change(user, { ssn: '6789' });
        expect([status, body.code]).toEqual([400, 'identity_not_confirmed']);
      }
      expect(await support.stateOf(user)).toEqual(before);
      await support.inLine(user);
      expect(support.idp.vendor.users.get(arrayUserIdOf(user.krn))?.data.ssn).toBe('123456789');
    });

    it.each([
      ['error', 502, 'vendor_failed'],
      ['hang', 504, 'vendor_timeout'],
    ] as const)(
      'changes nothing when the vendor has the fault %s [support-patch.vendor]',
      async (fault, status, code) => {
        const user = await support.lockedUser();
        const before = await support.stateOf(user);
        support.idp.vendor.faults.set('verify', { fault });
        const answer = await support.change(user, { ssn: '6789' });
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        expect(await support.stateOf(user)).toEqual(before);
      },
    );

    it('needs an ssn, and names every invalid field without its value [support-patch.ssn, support-errors.private]', async () => {
      const user = await support.idp.createUser();
      const fieldsOf = async (body: unknown): Promise<string[]> => {
        const answer = await support.change(user, body);
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
    it('erases the user in our database and at the vendor, so that a second request finds no user [support-delete.erases]', async () => {
      const user = await support.idp.createUser();
      await support.enroll(user, [receipt({ entitlements: ['idp.titles'] })]);
      const { status, body } = await support.call('DELETE', supportUserPath(user.krn));
      expect([status, body]).toEqual([200, { deleted: true }]);
      await eventually(() => expect(support.idp.vendor.users.has(arrayUserIdOf(user.krn))).toBe(false));
      expect((await support.call('DELETE', supportUserPath(user.krn))).body.code).toBe('user_not_found');
      expect((await support.stateOf(user)).receipts).toEqual([]);
    });

    it('resets the counted refusals of a user with a profile [idp-locks.delete-resets]', async () => {
      const user = await support.idp.createUser();
      await support.idp.database.query('update idp.verification set attempts = 3 where krn = $1', [user.krn]);
      expect((await support.call('DELETE', supportUserPath(user.krn))).status).toBe(200);
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(200);
    });

    it('ends the lock of a user who was refused before having a profile [support-delete.attempts]', async () => {
      const user = await support.idp.entitledUser();
      await support.idp.database.query(
        'insert into idp.verification (krn, attempts, authenticated, last_attempt_at) values ($1, 3, false, now())',
        [user.krn],
      );
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(403);
      const { status, body } = await support.call('DELETE', supportUserPath(user.krn));
      expect([status, body]).toEqual([200, { deleted: true }]);
      expect((await support.call('DELETE', supportUserPath(user.krn))).body.code).toBe('user_not_found');
      expect((await support.idp.request('POST', '', user, createBody())).status).toBe(200);
    });
  });

  it('save no change when the caller’s time limit passes before the vendor answers', async () => {
    const user = await support.enrolledUser();
    const before = await support.stateOf(user);
    support.idp.vendor.faults.set('verify', { fault: 'slow', delayMs: 600 });
    const late = { 'x-request-timeout-ms': '300' };
    const { status } = await support.call('PATCH', supportUserPath(user.krn), { ssn: '6789' }, late);
    expect(status).toBe(503);
    expect(await support.stateOf(user)).toEqual(before);
  });

  it('restore the enrollments that the vendor has lost, after an event requested a sync [support-sync.carried-out]', async () => {
    const user = await support.enrolledUser();
    const all = support.codes(user);
    support.idp.vendor.users.get(arrayUserIdOf(user.krn))?.enrollments.clear();
    await support.publish({ krn: user.krn, cause: 'support' });
    await eventually(() => expect(support.codes(user)).toEqual(all));
  });

  it('do nothing for a user without a profile when an event requests a sync', async () => {
    const krn = newKrn();
    await support.publish({ krn, cause: 'support' });
    const user = await support.idp.createUser(createBody());
    await support.publish({ krn: user.krn, cause: 'support' });
    await support.inLine(user);
    expect(await support.idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]);
  });
});
