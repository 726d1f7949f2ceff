/** Categories that are available to every user. */
export const BASE_CATEGORIES = [
  'firstName',
  'lastName',
  'dob',
  'ssn',
  'emailAddress',
  'phoneNumber',
  'address',
  'bankAccount',
  'creditCard',
  'driversLicense',
  'medicalId',
  'passport',
];

/** Categories that are available only with TITLE_MONITORING. */
export const TITLE_CATEGORIES = ['homeTitle', 'autoTitle', 'courtRecords', 'highRiskTransactions', 'retirementAccount'];
