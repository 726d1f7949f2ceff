/** Which of the vendor's alert sources found something: its own monitoring, Experian, TransUnion, Equifax. */
export const BUREAUS = ['idp', 'exp', 'tui', 'efx'] as const;
export type Bureau = (typeof BUREAUS)[number];

export interface VendorAlert {
  /** Unique over all users of this vendor. */
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

/** A user as the vendor knows it. Personal data is checked and not kept: only which fields there are. */
export interface VendorUser {
  clientKey: string;
  createdAt: string;
  fields: string[];
  enrollments: VendorEnrollment[];
  alerts: VendorAlert[];
  /** Since when there is sample data besides the alerts; absent until it is requested. */
  sampleSince?: string;
}
