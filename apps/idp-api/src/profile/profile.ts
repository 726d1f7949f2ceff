import type { ProfileVersion } from '../enrollment/enrollment-code.rules';

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
