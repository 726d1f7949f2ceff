import type { PartnerApplication } from './application.entity';

export const MAX_WEBSITE = 500;

/** Whether a value is an absolute http or https URL without credentials. */
export function isWebsite(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_WEBSITE || !/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(value))
    return false;
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && url.username === '' && url.password === '';
}

/**
 * Returns the fields of an application for its audit rows. Audit rows are kept longer than the application, so they contain
 * no text of the applicant.
 */
export const audited = ({ status, kind, partnerId, note }: PartnerApplication) => ({ status, kind, partnerId, note });
