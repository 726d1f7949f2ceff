import { arrayUserIdOf } from '../src/profile/array-user-id';
import { createBody, Idp, newKrn, type TestUser } from './idp';

const variant = (name: string, data: object = {}) => ({ BadRequest: { [name]: data } });
const invalid = (field: string) => variant('InputValidationFailure', { invalid_fields: [field] });
const BAD_BODY = { dob: '1984-02-30' };

/**
 * The checks of a request, in this order: token, second factor, rate limit, body, user, entitlement, lock, vendor. The answer reports the
 * first check that fails.
 */
describe('the order of checks', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start();
  });
  afterAll(() => idp.stop());
  beforeEach(() => idp.vendor.faults.clear());

  const ask = async (method: string, path: string, user: TestUser, body?: unknown) =>
    (await idp.request(method, path, user, body)).body;
  const takeEntitlements = ({ subscriptionId }: TestUser) =>
    idp.database.query(`update idp.subscription_event set entitlements = '{}' where subscription_id = $1`, [
      subscriptionId,
    ]);
  /** Creates a user with a profile, whose identity the vendor has just refused. */
  async function lockedUser(): Promise<TestUser> {
    const user = await idp.createUser();
    idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
    await ask('POST', '/me/token', user);
    return user;
  }

  it('starts with the token, then the second factor, then the body [idp-auth.order]', async () => {
    const user = { krn: newKrn() };
    expect(await ask('PATCH', '/me', { ...user, token: 'bad' }, BAD_BODY)).toEqual({ error: 'unauthorized' });
    const plain = { ...user, claims: { secondFactor: false } };
    expect(await ask('PATCH', '/me', plain, BAD_BODY)).toEqual(variant('TwoFactorAuthRequired'));
  });

  it('continues with the body, then the user, then entitlements [idp-auth.order]', async () => {
    const user = { krn: newKrn() };
    expect(await ask('PATCH', '/me', user, BAD_BODY)).toEqual(invalid('dob'));
    expect(await ask('POST', '/me/migration', user, { version: 2 })).toEqual(invalid('version'));
    expect(await ask('GET', '/me/nhw/alerts?count=0', user)).toEqual(invalid('count'));
    for (const [method, path, body] of [
      ['POST', '/me/enroll'],
      ['POST', '/me/token'],
      ['POST', '/me/migration', { version: 1 }],
      ['GET', '/me/credit-scores'],
      ['GET', '/me/scans'],
      ['GET', '/me/nhw/status'],
      ['GET', '/me/financial-accounts/status'],
    ] as const) {
      expect([path, await ask(method, path, user, body)]).toEqual([path, variant('UserNotFound')]);
    }
    const known = await idp.createUser();
    await takeEntitlements(known);
    expect(await ask('POST', '', known, createBody())).toEqual(variant('UserAlreadyExists'));
  });

  it('ends with entitlements, then the lock, then the vendor [idp-auth.order]', async () => {
    const user = await lockedUser();
    idp.vendor.faults.set('verify', { fault: 'error' });
    const asked = idp.vendor.callsOf('verify', arrayUserIdOf(user.krn)).length;
    for (const path of ['/me/enroll', '/me/token']) {
      expect(await ask('POST', path, user)).toEqual(variant('AttemptsTooEarly', { retry_after: expect.any(Number) }));
    }
    expect(idp.vendor.callsOf('verify', arrayUserIdOf(user.krn))).toHaveLength(asked);
    await takeEntitlements(user);
    for (const path of ['/me/enroll', '/me/token']) {
      expect(await ask('POST', path, user)).toEqual(variant('EntitlementsRequired'));
    }
  });
});
