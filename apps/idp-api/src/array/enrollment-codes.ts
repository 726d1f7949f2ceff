/** The codes of the vendor's products in which a user can be enrolled. */
export const ENROLLMENT_CODES = [
  'IDENTITY_MONITORING',
  'DATA_REMOVAL',
  'CREDIT_SCORE',
  'CREDIT_MONITORING',
  'NEIGHBORHOOD_WATCH',
  'FINANCIAL_ACCOUNTS',
  'TITLE_MONITORING',
] as const;
export type EnrollmentCode = (typeof ENROLLMENT_CODES)[number];
