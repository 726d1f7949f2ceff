/** The routes of the vendor's API. Each has its own breaker and metrics. */
export type VendorRoute =
  | 'users'
  | 'verify'
  | 'token'
  | 'enrollments'
  | 'alerts'
  | 'credit-scores'
  | 'scans'
  | 'monitors'
  | 'nhw'
  | 'financial-accounts';
