import { randomBytes } from 'node:crypto';

/** The form of a user's KRN: a regular expression that means the same in a JSON schema and in the attribute `pattern` of an input. */
export const KRN_PATTERN = '^krn:[a-z0-9\\-]+:[a-z0-9\\-]+:user:[A-Za-z0-9_\\-]{1,64}$';

/** The user who has a plan and a profile after the start of a development stack. */
export const DEMO_USER = krnOf('b');

/** Returns the KRN of a user of a development stack. */
export function krnOf(name: string): string {
  return `krn:tandem:dev:user:${name}`;
}

/** Returns a random KRN for a new user of a development stack. */
export const newKrn = (): string => krnOf(`new-${randomBytes(4).toString('hex')}`);

/** Returns the trimmed text if it is the KRN of a user; undefined if it is not. */
export function readKrn(text: string | null): string | undefined {
  const krn = text?.trim() ?? '';
  return new RegExp(KRN_PATTERN).test(krn) ? krn : undefined;
}

/**
 * Returns the query with which the page of the vendor is opened for a user; an empty text for the default user of the
 * page.
 */
export const queryOf = (krn: string | undefined): string =>
  krn === undefined || krn === DEMO_USER ? '' : `?krn=${encodeURIComponent(krn)}`;
