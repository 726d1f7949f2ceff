/** What the vendor serves: each route has a breaker and metrics of its own. */
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
