import { randomBytes } from 'node:crypto';

/** The form of a user's KRN: a regular expression that JSON schemas and the attribute `pattern` of an input understand alike. */
export const KRN_PATTERN = '^krn:[a-z0-9\\-]+:[a-z0-9\\-]+:user:[A-Za-z0-9_\\-]{1,64}$';

/** The user that the start of a development stack gives a plan and a profile. */
export const DEMO_USER = krnOf('b');

/** Returns the KRN of a user of a development stack. */
export function krnOf(name: string): string {
  return `krn:tandem:dev:user:${name}`;
}

/** Returns the KRN of a user that nobody knows yet. */
export const newKrn = (): string => krnOf(`new-${randomBytes(4).toString('hex')}`);

/** Trims and checks the KRN of a user. Undefined: the text is not a KRN. */
export function readKrn(text: string | null): string | undefined {
  const krn = text?.trim() ?? '';
  return new RegExp(KRN_PATTERN).test(krn) ? krn : undefined;
}

/** Returns the query with which the page of the vendor keeps this user; nothing for the user that it has by default. */
export const queryOf = (krn: string | undefined): string =>
  krn === undefined || krn === DEMO_USER ? '' : `?krn=${encodeURIComponent(krn)}`;
