import { Logger } from '@nestjs/common';
import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import { createBody, Idp, newKrn, type TestUser } from './idp';

const NOT_FOUND = { BadRequest: { UserNotFound: {} } };
const ENTITLEMENTS_REQUIRED = { BadRequest: { EntitlementsRequired: {} } };

describe('an existing profile', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({ env: { VENDOR_TIMEOUT_MS: '1000' } });
  });
  afterAll(() => idp.stop());
  beforeEach(() => idp.vendor.faults.clear());

  const keyOf = ({ krn }: TestUser) => arrayUserIdOf(krn);
  const stored = ({ krn }: TestUser) => idp.running.nest.get(ProfileRepository).findPersonalData(krn);
  const loseEntitlements = (user: TestUser) =>
    idp.database.query('delete from idp.subscription_event where subscription_id = $1', [user.subscriptionId]);

  it.each([
    ['GET', '/me', undefined],
    ['PATCH', '/me', { ssn: '6789' }],
    ['DELETE', '/me', undefined],
    ['POST', '/me/enroll', undefined],
    ['POST', '/me/token', undefined],
    ['POST', '/me/migration', { version: 1 }],
  ])('is needed for %s %s, which answers UserNotFound without one [idp-user.not-found]', async (method, path, body) => {
    for (const user of [{ krn: newKrn() }, await idp.entitledUser()]) {
      const { status, body: answer } = await idp.request(method, path, user, body);
      expect([status, answer]).toEqual([400, NOT_FOUND]);
    }
  });

  describe('PATCH /idp/array/users/me', () => {
    it('changes the given fields in our database and at the vendor, and answers with the profile status [idp-user.patch]', async () => {
      const user = await idp.createUser({ ssn: undefined, phoneNumber: undefined });
      const address = { street: '9 Pine', city: 'Bend', state: 'or', zip: '97701' };
      const { status, body } = await idp.request('PATCH', '/me', user, {
        ssn: '6789',
        address,
        phoneNumber: '5035550100',
      });
      expect([status, body]).toEqual([200, (await idp.request('GET', '/me', user)).body]);
      expect(body).toMatchObject({ ssnConfigured: true, phoneNumberConfigured: true });
      const expected = {
        ssn: '6789',
        phoneNumber: '5035550100',
        address: { ...address, state: 'OR' },
        firstName: 'Johanna',
      };
      expect(await stored(user)).toMatchObject(expected);
      expect(idp.vendor.users.get(keyOf(user))?.data).toMatchObject(expected);
    });

    it('needs no entitlement, and no verification when only the e-mail changes [idp-user.patch-no-entitlement]', async () => {
      const user = await idp.createUser();
      await loseEntitlements(user);
      const before = idp.vendor.callsOf('verify', keyOf(user)).length;
      expect((await idp.request('PATCH', '/me', user, { emailAddress: 'x@mail.test' })).status).toBe(200);
      expect(idp.vendor.callsOf('verify', keyOf(user))).toHaveLength(before);
    });

    it.each([
      ['fails', 'error', 502],
      ['is late', 'hang', 504],
    ] as const)(
      'changes no stored data when the vendor %s [idp-user.patch-vendor-fails, idp-user.vendor-status]',
      async (_, fault, expected) => {
        for (const [route, change] of [
          ['users', { emailAddress: 'other@mail.test' }],
          ['verify', { ssn: '6789' }],
        ] as const) {
          // Each fault applies only to calls about a user created here, so that no background call about another user fails instead.
          const user = await idp.createUser();
          const before = await stored(user);
          idp.vendor.faults.set(route, { fault, times: 1, clientKey: keyOf(user) });
          const { status, body } = await idp.request('PATCH', '/me', user, change);
          expect([status, Object.keys(body)]).toEqual([expected, ['error']]);
          expect(await stored(user)).toEqual(before);
          await eventually(() => expect(idp.vendor.users.get(keyOf(user))?.data).toMatchObject({ ssn: before?.ssn }));
        }
      },
    );

    it('restores the data at the vendor when the identity is refused [idp-user.patch-refused]', async () => {
      const user = await idp.createUser();
      idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
      expect((await idp.request('PATCH', '/me', user, { ssn: '6789' })).status).toBe(429);
      expect(await stored(user)).toMatchObject({ ssn: '123456789' });
      await eventually(() => expect(idp.vendor.users.get(keyOf(user))?.data.ssn).toBe('123456789'));
    });
  });

  describe('DELETE /idp/array/users/me', () => {
    it('erases the user here and at the vendor, and publishes the end of each enrollment [idp-user.delete, idp-enrollments.user-deleted]', async () => {
      const user = await idp.createUser();
      await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(3));
      await eventually(async () =>
        expect(await idp.database.publishedEvents('idp', 'enrollment.changed', user.krn)).toHaveLength(3),
      );
      const log = jest.spyOn(Logger.prototype, 'log');
      const { status, body } = await idp.request('DELETE', '/me', user);
      expect([status, body]).toEqual([200, { arrayUserId: keyOf(user), deleted: true }]);
      expect(log).toHaveBeenCalledWith({ msg: 'user.deleted', krn: user.krn, by: 'user' });
      log.mockRestore();
      for (const table of ['profile', 'enrollment', 'enrollment_status', 'verification']) {
        expect(await idp.database.query(`select 1 from idp.${table} where krn = $1`, [user.krn])).toEqual([]);
      }
      await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false));
      const events = await idp.database.publishedEvents('idp', 'enrollment.changed', user.krn);
      const ends = events.filter(({ data }) => data['active'] === false).map(({ data }) => data['reason']);
      expect(ends).toEqual(['user_deleted', 'user_deleted', 'user_deleted']);
      expect((await idp.request('GET', '/me', user)).body).toEqual(NOT_FOUND);
    });

    it('answers 200 while the vendor fails, and deletes the user at the vendor later [idp-user.delete-vendor-fails]', async () => {
      const user = await idp.createUser();
      idp.vendor.faults.set('users', { fault: 'error', times: 2 });
      expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
      expect(idp.vendor.users.has(keyOf(user))).toBe(true);
      await eventually(() => expect(idp.vendor.users.has(keyOf(user))).toBe(false), { timeoutMs: 20_000 });
    });

    it('leaves no old data at the vendor when a profile is created again before the vendor has deleted the user', async () => {
      const user = await idp.createUser({ version: 1 });
      await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(7));
      idp.vendor.faults.set('users', { fault: 'error', times: 1 });
      await idp.request('DELETE', '/me', user);
      await eventually(() => expect(idp.vendor.faults.has('users')).toBe(false));
      expect((await idp.request('POST', '', user, createBody())).status).toBe(200);
      await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(3));
      const methods = idp.vendor.callsOf('users', keyOf(user)).map(({ method }) => method);
      // The vendor may still carry out the DELETE that failed, so idp-api may send the data once more.
      const [first, ...others] = methods.slice(methods.lastIndexOf('DELETE') + 1);
      expect(first).toBe('PUT');
      expect(new Set(others).size).toBeLessThanOrEqual(1);
      expect(idp.vendor.callsOf('users', keyOf(user)).at(methods.lastIndexOf('DELETE') + 1)?.body).toMatchObject({
        emailAddress: createBody().emailAddress,
      });
    });
  });

  describe('POST /idp/array/users/me/token', () => {
    it('verifies the identity, and answers with a token [idp-user.token]', async () => {
      const user = await idp.createUser();
      const { status, body } = await idp.request('POST', '/me/token', user);
      expect([status, body.userToken]).toEqual([200, `token-of-${keyOf(user)}`]);
      expect(idp.vendor.callsOf('token', keyOf(user)).at(-1)?.body.ttlInSeconds).toBe(900);
      expect(idp.vendor.callsOf('verify', keyOf(user))).toHaveLength(2);
    });

    it.each([
      ['verify', 'error', 502],
      ['token', 'error', 502],
      ['token', 'hang', 504],
    ] as const)('when the route %s has the fault %s, answers %i', async (route, fault, expected) => {
      const user = await idp.createUser();
      idp.vendor.faults.set(route, { fault, times: 1 });
      const { status, body } = await idp.request('POST', '/me/token', user);
      expect([status, Object.keys(body)]).toEqual([expected, ['error']]);
    });

    it('keeps the count of refused attempts when the vendor confirms the identity but issues no token [idp-locks.vendor-fails]', async () => {
      const user = await idp.createUser();
      await idp.database.query('update idp.verification set attempts = 1 where krn = $1', [user.krn]);
      const before = (await idp.request('GET', '/me', user)).body;
      idp.vendor.faults.set('token', { fault: 'error', times: 1 });
      expect((await idp.request('POST', '/me/token', user)).status).toBe(502);
      expect((await idp.request('GET', '/me', user)).body).toEqual(before);
      expect((await idp.request('POST', '/me/token', user)).status).toBe(200);
      expect((await idp.request('GET', '/me', user)).body).toMatchObject({ authAttempts: 0 });
    });
  });

  describe('POST /idp/array/users/me/enroll', () => {
    it('answers with the 3 granted codes, and the time at which each became active [idp-enrollments.enroll]', async () => {
      const user = await idp.createUser();
      const { status, body } = await idp.request('POST', '/me/enroll', user);
      expect(status).toBe(200);
      const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(body.enrollments).toHaveLength(3);
      expect(body.enrollments).toContainEqual({ code: 'CREDIT_SCORE', active: true, activatedAt: at });
    });

    it('reports which codes are active while the vendor cannot enroll, and enrolls the user later [idp-enrollments.rest-follows]', async () => {
      const user = await idp.createUser({}, ['idp.identity']);
      await idp.database.query(
        `update idp.subscription_event set entitlements = '{idp.identity,idp.credit}' where subscription_id = $1`,
        [user.subscriptionId],
      );
      idp.vendor.faults.set('enrollments', { fault: 'error' });
      const { status, body } = await idp.request('POST', '/me/enroll', user);
      expect(status).toBe(200);
      const active = body.enrollments.map((one: { code: string; active: boolean }) => [one.code, one.active]);
      expect(active.sort()).toEqual([
        ['CREDIT_SCORE', false],
        ['IDENTITY_MONITORING', true],
      ]);
      idp.vendor.faults.clear();
      await eventually(() =>
        expect(idp.vendor.activeCodes(keyOf(user))).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']),
      );
    });
  });

  describe('POST /idp/array/users/me/migration', () => {
    it('sets the version, enrolls accordingly, and refuses a lower version [idp-user.migration, idp-user.migration-back]', async () => {
      const user = await idp.createUser();
      const { status, body } = await idp.request('POST', '/me/migration', user, { version: 1 });
      expect([status, body.version, body.enrollments]).toEqual([200, 1, expect.any(Array)]);
      await eventually(() => expect(idp.vendor.activeCodes(keyOf(user))).toHaveLength(7));
      expect((await idp.request('POST', '/me/migration', user, { version: 1 })).status).toBe(200);
      for (const back of [{ version: 0 }, {}]) {
        const answer = await idp.request('POST', '/me/migration', user, back);
        expect(answer.body).toEqual({ BadRequest: { InputValidationFailure: { invalid_fields: ['version'] } } });
      }
      const history = await idp.database.query(
        'select reason from idp.enrollment_status where krn = $1 and code = $2',
        [user.krn, 'TITLE_MONITORING'],
      );
      expect(history).toEqual([{ reason: 'migrated' }]);
    });

    it('uses version 0 when the body has no version [idp-user.migration-default]', async () => {
      const user = await idp.createUser();
      const { status, body } = await idp.request('POST', '/me/migration', user, {});
      expect([status, body.version]).toEqual([200, 0]);
    });
  });

  it('needs idp.identity for enroll, token and migration, but not to be read, changed or deleted [idp-user.entitlements-later]', async () => {
    const user = await idp.createUser();
    await loseEntitlements(user);
    for (const [path, body] of [['/me/enroll'], ['/me/token'], ['/me/migration', { version: 1 }]] as const) {
      expect((await idp.request('POST', path, user, body)).body).toEqual(ENTITLEMENTS_REQUIRED);
    }
    expect((await idp.request('GET', '/me', user)).status).toBe(200);
    expect((await idp.request('PATCH', '/me', user, { dob: '1990-01-31' })).status).toBe(200);
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
  });
});
