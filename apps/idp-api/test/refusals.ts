import type { VendorRoute } from '../src/array/vendor-routes';
import {
  entitlementsRequired,
  type ReaderWorld,
  stranger,
  twoFactorRequired,
  userNotFound,
  withoutSecondFactor,
} from './reader';

export interface Operation {
  readonly method: string;
  /** The path below `/idp/array/users`. */
  readonly path: string;
  readonly secondFactor?: boolean;
  /** The entitlement that the operation needs. Omitted when a profile is enough. */
  readonly entitlement?: string;
  /** The vendor's route on which the operation depends. */
  readonly route?: VendorRoute;
  /** The ids of the promises that these tests prove, by the kind of refusal. */
  readonly promises?: { readonly profile?: string; readonly entitlement?: string; readonly vendor?: string };
}

/**
 * Defines the tests of the refusals that all operations share. If the operation has a `route`, one test waits until `VENDOR_TIMEOUT_MS` has
 * passed, so the app under test must have a short `VENDOR_TIMEOUT_MS`.
 */
export function refusesAsEveryOperation(world: () => ReaderWorld, operation: Operation): void {
  const { method, path, secondFactor = false, entitlement, route, promises = {} } = operation;
  const call = (user: Parameters<ReaderWorld['idp']['request']>[2]) => world().idp.request(method, path, user);
  const titled = (text: string, id: string | undefined): string => (id === undefined ? text : `${text} [${id}]`);

  it('answers 401 without a token, and with an expired token', async () => {
    const expired = { ...stranger(), claims: { exp: Math.floor(Date.now() / 1000) - 120 } };
    for (const user of [null, expired]) {
      const refused = await call(user);
      expect(refused).toMatchObject({ status: 401, body: { error: expect.any(String) } });
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  if (secondFactor) {
    it('answers TwoFactorAuthRequired to a token without a second factor, even if there is no profile', async () => {
      const refused = await call(withoutSecondFactor(stranger()));
      expect(refused).toMatchObject({ status: 400, body: twoFactorRequired });
      expect(refused.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
    });
  } else {
    it('accepts a token without a second factor', async () => {
      const reader = await world().createReader();
      expect((await call(withoutSecondFactor(reader))).body?.BadRequest?.TwoFactorAuthRequired).toBeUndefined();
    });
  }

  it(
    titled('answers UserNotFound to a user without a profile, and does not call the vendor', promises.profile),
    async () => {
      const before = world().idp.vendor.calls.length;
      const entitled = await world().idp.entitledUser();
      for (const user of [stranger(), entitled]) {
        const { status, body } = await call(user);
        expect([status, body]).toEqual([400, userNotFound]);
      }
      expect(world().idp.vendor.calls.length).toBe(before);
    },
  );

  if (entitlement !== undefined) {
    it(titled(`answers EntitlementsRequired to a user without ${entitlement}`, promises.entitlement), async () => {
      const reader = await world().createReader({
        entitlements: entitlement === 'idp.identity' ? [] : ['idp.identity'],
      });
      const { status, body } = await call(reader);
      expect([status, body]).toEqual([400, entitlementsRequired]);
      expect(world().asked(reader)).toEqual([]);
    });
  }

  if (route !== undefined) failsWithTheVendor(world, call, route, promises.vendor);
}

function failsWithTheVendor(
  world: () => ReaderWorld,
  call: (user: Parameters<ReaderWorld['idp']['request']>[2]) => ReturnType<ReaderWorld['idp']['request']>,
  route: VendorRoute,
  id: string | undefined,
): void {
  const end = id === undefined ? '' : ` [${id}]`;
  afterEach(() => world().idp.vendor.faults.clear());

  it.each<['error' | 'hang', number]>([
    ['error', 502],
    ['hang', 504],
  ])(`when the vendor has the fault %s, answers %p${end}`, async (fault, status) => {
    const reader = await world().createReader();
    world().idp.vendor.faults.set(route, { fault, times: 1 });
    expect(await call(reader)).toMatchObject({ status, body: { error: expect.any(String) } });
  });

  it(`answers 502 when the vendor does not know the user${end}`, async () => {
    const reader = await world().createReader();
    world().book.remove(reader.arrayUserId);
    expect((await call(reader)).status).toBe(502);
  });
}
