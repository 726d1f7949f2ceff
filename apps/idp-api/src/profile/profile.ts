/** The mappings from entitlements to enrollments: 1 is the feature set of the stand-alone product. */
export const PROFILE_VERSIONS = [0, 1] as const;
export type ProfileVersion = (typeof PROFILE_VERSIONS)[number];

/** A user, without personal data. */
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

/** A user's personal data: encrypted wherever it is stored, and never in a log, an event or an error. */
export interface PersonalData {
  readonly firstName: string;
  readonly lastName: string;
  /** YYYY-MM-DD */
  readonly dob: string;
  readonly emailAddress: string;
  readonly address: Address;
  /** Digits. */
  readonly phoneNumber: string | null;
  /** The last 4 digits or all 9. */
  readonly ssn: string | null;
}
