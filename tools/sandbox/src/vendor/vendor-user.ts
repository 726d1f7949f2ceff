/** The sources of the vendor's alerts: its own monitoring, Experian, TransUnion, Equifax. */
export const BUREAUS = ['idp', 'exp', 'tui', 'efx'] as const;
export type Bureau = (typeof BUREAUS)[number];

export interface VendorAlert {
  /** Unique across all users of this vendor. */
  alertId: number;
  bureau: Bureau;
  class: string;
  createDate: string;
  updatedDate: string;
  /** Fields that extend or replace the default details of the alert. */
  detail?: Record<string, unknown>;
}

export interface VendorEnrollment {
  enrollmentId: string;
  productCode: string;
  status: 'active' | 'cancelled';
}

/** The personal data by which people find a user. It is kept only in memory. */
export interface Contact {
  firstName?: string;
  lastName?: string;
  emailAddress?: string;
  phoneNumber?: string;
}

/** A user as the vendor stores it. Of personal data, only the names of the fields are stored, not their values. */
export interface VendorUser {
  clientKey: string;
  createdAt: string;
  fields: string[];
  enrollments: VendorEnrollment[];
  alerts: VendorAlert[];
  /**
   * The time when sample data was requested; undefined if it was never requested. The sample alerts do not depend on
   * this time, because they are stored.
   */
  sampleSince?: string;
}
