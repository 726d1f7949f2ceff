import { randomUUID } from 'node:crypto';
import { PLANS } from './billing';
import { callSuccessfully } from './http';

/** What the entitlements of plan pro enroll a user in at the vendor, with version 1 of the profile. */
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

/** What a profile is created with. */
export const PROFILE = {
  firstName: 'Sample',
  lastName: 'Tester',
  dob: '1980-01-01',
  emailAddress: 'sample@example.com',
  address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
  version: 1,
};

/** The name of a user that nobody has had before. @param run whose user it is, such as `chaos` */
export const newKrn = (run: string): string => `krn:tandem:${run}:user:${randomUUID()}`;

/** An access token of a user with a second factor. @param issuerUrl of the sandbox @throws Error when it is refused */
export async function mintToken(issuerUrl: string, krn: string): Promise<string> {
  const body = { family: 'service', sub: krn, amr: ['mfa'] };
  return String((await callSuccessfully(`${issuerUrl}/token`, { method: 'POST', body })).body.token);
}
