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
  /** Details that extend or replace those of the bureau's form. */
  detail?: Record<string, unknown>;
}

export interface VendorEnrollment {
  enrollmentId: string;
  productCode: string;
  status: 'active' | 'cancelled';
}

/** A user as the vendor stores it. Personal data is validated but not stored, except for the names of the fields. */
export interface VendorUser {
  clientKey: string;
  createdAt: string;
  fields: string[];
  enrollments: VendorEnrollment[];
  alerts: VendorAlert[];
  /** When the sample data other than alerts starts; absent until sample data is requested. */
  sampleSince?: string;
}
