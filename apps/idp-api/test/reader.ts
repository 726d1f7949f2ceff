import { DataSource } from 'typeorm';
import type { Alert } from '../src/array/alerts';
import type { ProfileVersion } from '../src/profile/profile';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import type { PersonalData } from '../src/profile/profile';
import { ProfileRepository } from '../src/profile/profile.repository';
import { ALL_ENTITLEMENTS, createBody, Idp, type IdpOptions, newKrn, type TestUser } from './idp';
import { VendorBook, type VendorData } from './vendor-reports';

/** Rate limits that no test reaches, for tests of other features. The limit `onboarding` keeps its default. */
const NO_LIMITS = { RATE_LIMIT_CLIENT_PER_MINUTE: '1000000', RATE_LIMIT_DASHBOARD_PER_MINUTE: '1000000' };

/** A user with a profile, and the vendor's data about the user. */
export interface Reader extends TestUser {
  readonly arrayUserId: string;
  /** The data of the user at the vendor. Tests may change it. */
  readonly data: VendorData;
}

export interface ReaderOptions {
  readonly entitlements?: readonly string[];
  readonly version?: ProfileVersion;
  readonly data?: Partial<VendorData>;
}

/** An idp-api whose users have data at the vendor. */
export class ReaderWorld {
  private constructor(
    readonly idp: Idp,
    readonly book: VendorBook,
  ) {}

  static async start(env: IdpOptions['env'] = {}): Promise<ReaderWorld> {
    const book = new VendorBook();
    const idp = await Idp.start({ env: { ...NO_LIMITS, ...env }, vendorRoutes: book.routes });
    return new ReaderWorld(idp, book);
  }

  stop(): Promise<void> {
    return this.idp.stop();
  }

  /**
   * Creates a user, by default of version 1 with all entitlements. The profile's row equals that of a profile that a request created two
   * years ago.
   */
  async createReader({ entitlements = ALL_ENTITLEMENTS, version = 1, data = {} }: ReaderOptions = {}): Promise<Reader> {
    const user = await this.idp.entitledUser(entitlements);
    const arrayUserId = arrayUserIdOf(user.krn);
    const { nest } = this.idp.running;
    await nest.get(DataSource).transaction(async (manager) => {
      await nest
        .get(ProfileRepository, { strict: false })
        .insert(manager, { krn: user.krn, arrayUserId, version }, createBody() as unknown as PersonalData);
      await manager.query(`update profile set created_at = now() - interval '2 years' where krn = $1`, [user.krn]);
    });
    this.book.add(arrayUserId, data);
    return { ...user, arrayUserId, data: this.book.get(arrayUserId) };
  }

  /** Returns the calls to the vendor about a user, as `path?query`, without the app key and the user's key. */
  asked({ arrayUserId }: Reader): string[] {
    return this.idp.vendor.calls
      .filter(({ clientKey }) => clientKey === arrayUserId)
      .map(({ path, query }) => {
        const rest = new URLSearchParams(query);
        for (const key of ['appKey', 'clientKey']) rest.delete(key);
        return rest.size === 0 ? path : `${path}?${rest}`;
      });
  }
}

/** Returns a user without a profile. */
export const stranger = (): TestUser => ({ krn: newKrn() });

/** Returns the user with a token that was issued without a second factor. */
export const withoutSecondFactor = (user: TestUser): TestUser => ({ ...user, claims: { secondFactor: false } });

/**
 * Creates alerts of the vendor, newest first. The newest alert is an hour old and has the id `firstId`; each further alert is an hour older
 * and has the next lower id.
 */
export const alertsOf = (
  count: number,
  firstId: number,
  change: (index: number) => Partial<Alert> = () => ({}),
): Alert[] =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.now() - (index + 1) * 3_600_000).toISOString();
    const alert = {
      alertId: firstId - index,
      bureau: 'exp',
      class: 'CREDIT_MONITORING',
      createDate: at,
      updatedDate: at,
    };
    return { ...alert, ...change(index) };
  });

export const userNotFound = { BadRequest: { UserNotFound: {} } };
export const entitlementsRequired = { BadRequest: { EntitlementsRequired: {} } };
export const twoFactorRequired = { BadRequest: { TwoFactorAuthRequired: {} } };
export const invalidFields = (...paths: string[]): object => ({
  BadRequest: { InputValidationFailure: { invalid_fields: paths } },
});
