import { arrayUserIdOf } from '../src/profile/array-user-id';
import { eventually } from '@tandem/testing';
import { createBody, Idp, newKrn, type TestUser } from './idp';

describe('POST /idp/array/users', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({ env: { RATE_LIMIT_ONBOARDING_PER_MINUTE: '100' } });
  });
  afterAll(() => idp.stop());

  const create = (user: TestUser | null, body: unknown = createBody()) => idp.request('POST', '', user, body);
  const status = async (user: TestUser) => (await idp.request('GET', '/me', user)).body;
  const profiles = async (krn: string) => idp.database.query('select * from idp.profile where krn = $1', [krn]);

  it('answers with a token that is valid for 900 s, and enrolls a user of version 0 in 3 codes [idp-user.create, idp-user.token-life, idp-user.version-0]', async () => {
    const user = await idp.entitledUser();
    const before = Math.floor(Date.now() / 1000);
    const { status: code, body } = await create(user);
    expect([code, Object.keys(body)]).toEqual([200, ['userToken', 'expirationDate']]);
    expect(body.expirationDate - before).toBeGreaterThanOrEqual(899);
    expect(body.expirationDate - before).toBeLessThan(960);
    await eventually(() =>
      expect(idp.vendor.activeCodes(arrayUserIdOf(user.krn))).toEqual([
        'CREDIT_SCORE',
        'DATA_REMOVAL',
        'IDENTITY_MONITORING',
      ]),
    );
  });

  it('enrolls a user of version 1 in everything that the entitlements grant [idp-user.version-1, idp-user.grants]', async () => {
    const user = await idp.createUser({ version: 1 }, ['idp.identity', 'idp.titles']);
    await eventually(() =>
      expect(idp.vendor.activeCodes(arrayUserIdOf(user.krn))).toEqual([
        'IDENTITY_MONITORING',
        'NEIGHBORHOOD_WATCH',
        'TITLE_MONITORING',
      ]),
    );
  });

  it('creates a profile that shows which values are stored [idp-user.profile]', async () => {
    const user = await idp.createUser({ ssn: null, phoneNumber: undefined });
    expect(await status(user)).toEqual({
      arrayUserId: arrayUserIdOf(user.krn),
      authenticated: true,
      twoFactorEnabled: true,
      authAttempts: 0,
      remainingAuthAttempts: 3,
      lastAuthAttempt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      firstNameConfigured: true,
      lastNameConfigured: true,
      dobConfigured: true,
      addressConfigured: true,
      emailConfigured: true,
      phoneNumberConfigured: false,
      ssnConfigured: false,
    });
  });

  it('sends trimmed strings to the vendor, and the state of the address in capitals [idp-user.trim]', async () => {
    const address = { street: ' 5 Elm St ', city: 'Salem', state: 'or', zip: ' 97301-0001 ' };
    const user = await idp.createUser({ firstName: '  Ida ', address });
    const { data } = idp.vendor.users.get(arrayUserIdOf(user.krn)) as { data: object };
    expect(data).toMatchObject({
      firstName: 'Ida',
      address: { street: '5 Elm St', city: 'Salem', state: 'OR', zip: '97301-0001' },
    });
  });

  it('refuses a second profile [idp-user.already-exists]', async () => {
    const user = await idp.createUser();
    const { status: code, body } = await create(user);
    expect([code, body]).toEqual([400, { BadRequest: { UserAlreadyExists: {} } }]);
  });

  it('creates only one profile and one user at the vendor for 20 concurrent creates [idp-user.create-once]', async () => {
    const user = await idp.entitledUser();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(user)));
    expect(answers.filter(({ status: code }) => code === 200)).toHaveLength(1);
    for (const { body, status: code } of answers) {
      if (code !== 200) expect(body).toEqual({ BadRequest: { UserAlreadyExists: {} } });
    }
    expect(await profiles(user.krn)).toHaveLength(1);
    expect(idp.vendor.callsOf('users', arrayUserIdOf(user.krn)).filter(({ method }) => method === 'PUT')).toHaveLength(
      1,
    );
  });

  it('refuses a user without idp.identity, without calling the vendor [idp-user.entitlements]', async () => {
    const users = [{ krn: newKrn() }, await idp.entitledUser(['idp.credit', 'idp.removal'])];
    for (const user of users) {
      const { status: code, body } = await create(user);
      expect([code, body]).toEqual([400, { BadRequest: { EntitlementsRequired: {} } }]);
      expect(idp.vendor.callsOf('users', arrayUserIdOf(user.krn))).toEqual([]);
    }
  });

  it.each(['users', 'verify'] as const)(
    'answers 502 when the route %s fails, and leaves no profile and no user at the vendor [idp-user.create-vendor-fails]',
    async (route) => {
      const user = await idp.entitledUser();
      idp.vendor.faults.set(route, { fault: 'error', times: 1 });
      const { status: code, body } = await create(user);
      expect([code, Object.keys(body)]).toEqual([502, ['error']]);
      expect(await profiles(user.krn)).toEqual([]);
      await eventually(() => expect(idp.vendor.users.has(arrayUserIdOf(user.krn))).toBe(false));
      expect((await create(user)).status).toBe(200);
    },
  );

  it('answers 200 without a token when the vendor issues none, and enrolls the user later [idp-user.create-rest-follows]', async () => {
    const user = await idp.entitledUser();
    idp.vendor.faults.set('token', { fault: 'error', times: 1 });
    idp.vendor.faults.set('enrollments', { fault: 'error', times: 1 });
    const { status: code, body } = await create(user);
    expect([code, body]).toEqual([200, { userToken: null, expirationDate: null }]);
    await eventually(() => expect(idp.vendor.activeCodes(arrayUserIdOf(user.krn))).toHaveLength(3));
  });

  it('stores no readable personal data [idp-user.encrypted]', async () => {
    const user = await idp.createUser();
    const rows = JSON.stringify(await profiles(user.krn));
    for (const value of ['Johanna', 'Quimby', '1984-02-29', 'quimby', '5035550142', '123456789', 'Larkspur', '97201']) {
      expect(rows).not.toContain(value);
    }
  });
});
