import type { PartnerApplication } from './application.entity';

export const MAX_WEBSITE = 500;

/** Returns whether a value is an absolute http or https URL without credentials, of at most `MAX_WEBSITE` characters. */
export function isWebsite(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_WEBSITE || !/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(value))
    return false;
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && url.username === '' && url.password === '';
}

/**
 * Returns the fields of an application that its audit rows contain. Audit rows are kept longer than applications, so they contain no text
 * that the applicant wrote.
 */
export const audited = ({ status, kind, partnerId, note }: PartnerApplication) => ({ status, kind, partnerId, note });
