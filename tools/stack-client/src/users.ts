import { randomUUID } from 'node:crypto';
import { PLANS } from './billing';
import { callSuccessfully } from './http';

/**
 * The vendor's products for a user who has the plan pro and a profile of version 1, the version that allows all products.
 * Such a user must have an active enrollment for each of them.
 */
export const PRO_CODES: readonly string[] = [
  'CREDIT_MONITORING',
  'CREDIT_SCORE',
  'DATA_REMOVAL',
  'FINANCIAL_ACCOUNTS',
  'IDENTITY_MONITORING',
  'NEIGHBORHOOD_WATCH',
  'TITLE_MONITORING',
];

/** All entitlements of identity protection. */
export const ALL_ENTITLEMENTS: readonly string[] = PLANS.pro.entitlements;

/** The data with which a profile is created. */
export const PROFILE = {
  firstName: 'Sample',
  lastName: 'Tester',
  dob: '1980-01-01',
  emailAddress: 'sample@example.com',
  address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
  version: 1,
};

/** Returns the KRN of a new user. @param run the kind of run that creates the user, such as `chaos` */
export const newKrn = (run: string): string => `krn:tandem:${run}:user:${randomUUID()}`;

/**
 * Requests an access token for a user. The token states that the user signed in with a second factor.
 * @param issuerUrl the sandbox's issuer
 * @throws Error when the issuer refuses
 */
export async function mintToken(issuerUrl: string, krn: string): Promise<string> {
  const body = { family: 'service', sub: krn, amr: ['mfa'] };
  return String((await callSuccessfully(`${issuerUrl}/token`, { method: 'POST', body })).body.token);
}
