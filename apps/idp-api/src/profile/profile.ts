/**
 * The versions of a profile. The version limits which enrollment codes the entitlements can grant: version 1 allows all codes, version 0
 * only three of them.
 */
export const PROFILE_VERSIONS = [0, 1] as const;
export type ProfileVersion = (typeof PROFILE_VERSIONS)[number];

/** A user's profile, without the personal data. */
export interface Profile {
  readonly krn: string;
  /** The user's key at the vendor. */
  readonly arrayUserId: string;
  readonly version: ProfileVersion;
}

export interface Address {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** A user's personal data. It is encrypted in the database, and must never appear in a log, an event or an error. */
export interface PersonalData {
  readonly firstName: string;
  readonly lastName: string;
  /** The date of birth, as YYYY-MM-DD. */
  readonly dob: string;
  readonly emailAddress: string;
  readonly address: Address;
  /** The phone number, digits only. */
  readonly phoneNumber: string | null;
  /** The last 4 digits or all 9 digits of the social security number. */
  readonly ssn: string | null;
}
