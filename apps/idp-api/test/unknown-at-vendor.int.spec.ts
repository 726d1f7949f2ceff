import { ENROLLMENT_SYNC } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { report } from './identity-events';
import { Idp, type TestUser } from './idp';

describe('a user whom the vendor does not know any more', () => {
  let idp: Idp;
  beforeAll(async () => {
    // This is long enough for the report of an end to be handled before the vendor's state is read for the second time.
    idp = await Idp.start({ env: { VENDOR_REPLICATION_SECONDS: '5' } });
  });
  afterAll(() => idp.stop());

  const codes = ({ krn }: TestUser) => idp.vendor.activeCodes(arrayUserIdOf(krn));
  /** Waits until nothing is left to reconcile. */
  const settled = ({ krn }: TestUser) =>
    eventually(async () =>
      expect(await idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]),
    );
  /** Creates an enrolled user, and deletes the user at the vendor. @returns the user, and the codes that the user was enrolled in */
  async function createUnknown(): Promise<[TestUser, string[]]> {
    const user = await idp.createUser();
    await settled(user);
    const before = codes(user);
    expect(before).toHaveLength(3);
    idp.vendor.users.delete(arrayUserIdOf(user.krn));
    return [user, before];
  }

  it.each(['/me/enroll', '/me/token'])(
    'gets 502 from POST %s once, and is then created at the vendor again',
    async (path) => {
      const [user, before] = await createUnknown();
      const post = async () => (await idp.request('POST', path, user)).status;
      expect(await post()).toBe(502);
      expect(await post()).toBe(200);
      await eventually(() => expect(codes(user)).toEqual(before));
      expect((await idp.request('GET', '/me', user)).body).toMatchObject({ authenticated: true, authAttempts: 0 });
    },
  );

  it('is created and enrolled at the vendor again after a 502, without another request', async () => {
    const [user, before] = await createUnknown();
    expect((await idp.request('POST', '/me/enroll', user)).status).toBe(502);
    await eventually(() => expect(codes(user)).toEqual(before));
    expect(idp.vendor.users.get(arrayUserIdOf(user.krn))?.data).toMatchObject({ lastName: 'Quimby' });
  });

  it('is not enrolled again in what the vendor reports as ended, until the user enrolls [idp-events.until-asked]', async () => {
    const [user, [ended, ...others]] = await createUnknown();
    expect((await idp.request('POST', '/me/token', user)).status).toBe(502);
    await report(idp, user, { type: 'enrollment_cancelled', productCode: ended as string });
    await settled(user);
    expect(codes(user)).toEqual(others);
    expect((await idp.request('POST', '/me/token', user)).status).toBe(200);
    await settled(user);
    expect(codes(user)).toEqual(others);
    expect((await idp.request('POST', '/me/enroll', user)).status).toBe(200);
    await eventually(() => expect(codes(user)).toEqual([ended, ...others]));
  });

  it('is created and enrolled at the vendor again when support requests a sync', async () => {
    const [user, before] = await createUnknown();
    const outbox = idp.running.nest.get(Outbox);
    await outbox.transaction((manager) => outbox.add(manager, ENROLLMENT_SYNC, { krn: user.krn, cause: 'support' }));
    await eventually(() => expect(codes(user)).toEqual(before));
  });
});
