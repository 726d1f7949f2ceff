import { ValidationFailedError } from '@tandem/http-api';

/** The header in which the caller gives a reason, for the audit trail. */
export const REASON_HEADER = 'x-support-reason';

const MAX_LENGTH = 500;
const CONTROL = /\p{Cc}/u;

/**
 * Reads the reason from the header's value. Node decodes headers as Latin-1, so the value is decoded again as UTF-8 if it is valid UTF-8.
 *
 * @returns null for a header that is missing or blank
 * @throws ValidationFailedError when the reason has more than 500 characters, or control characters
 */
export function reasonOf(header: string | string[] | undefined): string | null {
  const bytes = [header ?? ''].flat().join(' ');
  const utf8 = Buffer.from(bytes, 'latin1').toString('utf8');
  const text = (utf8.includes('\uFFFD') ? bytes : utf8).trim();
  if ([...text].length > MAX_LENGTH || CONTROL.test(text)) {
    const message = `must be at most ${MAX_LENGTH} characters without control characters`;
    throw new ValidationFailedError([{ field: 'X-Support-Reason', message }]);
  }
  return text === '' ? null : text;
}
