import { ENROLLMENT_CODES, type EnrollmentCode } from '../array/enrollment-codes';
import type { ProfileVersion } from '../profile/profile';

/** The entitlements that this app knows. Other entitlements of a subscription are ignored. */
export const ENTITLEMENTS = ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'] as const;
export type Entitlement = (typeof ENTITLEMENTS)[number];

/** The entitlement that a user needs to create a profile, to enroll, to migrate and to get a token. */
export const BASE_ENTITLEMENT: Entitlement = 'idp.identity';

const NEEDS: Readonly<Record<EnrollmentCode, Entitlement>> = {
  IDENTITY_MONITORING: 'idp.identity',
  NEIGHBORHOOD_WATCH: 'idp.identity',
  CREDIT_SCORE: 'idp.credit',
  CREDIT_MONITORING: 'idp.credit',
  FINANCIAL_ACCOUNTS: 'idp.credit',
  DATA_REMOVAL: 'idp.removal',
  TITLE_MONITORING: 'idp.titles',
};

const CODES_OF_VERSION: Readonly<Record<ProfileVersion, readonly EnrollmentCode[]>> = {
  0: ['IDENTITY_MONITORING', 'DATA_REMOVAL', 'CREDIT_SCORE'],
  1: ENROLLMENT_CODES,
};

/** Returns the entitlement that the enrollment in a code needs. */
export const entitlementOf = (code: EnrollmentCode): Entitlement => NEEDS[code];

/** Returns the codes that a user's version and entitlements grant. */
export const codesGranted = (version: ProfileVersion, held: ReadonlySet<Entitlement>): ReadonlySet<EnrollmentCode> =>
  new Set(CODES_OF_VERSION[version].filter((code) => held.has(NEEDS[code])));
