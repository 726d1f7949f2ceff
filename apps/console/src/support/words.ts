import { supportWords } from '../texts/support-words';

const { entitlements, products, reasons, events, data, details, errors, failures, reconciliations } = supportWords;

/** Returns a function that returns the words for a value of the API or, for an unknown value, the value with spaces instead of underscores. */
const wordsIn =
  (words: Readonly<Record<string, string>>) =>
  (value: string): string =>
    Object.hasOwn(words, value) ? (words[value] as string) : value.replaceAll('_', ' ');

export const entitlementName = wordsIn(entitlements);
export const productName = wordsIn(products);
export const reasonWords = wordsIn(reasons);
export const eventWords = wordsIn(events);
export const dataName = wordsIn(data);
export const reconciliationWords = wordsIn(reconciliations);
export const errorWords = wordsIn(errors);

/** Returns the words for a detail of the audit trail: for its name, or for its value. Returns a text without such words unchanged. */
export const detailWords = (code: string): string =>
  Object.hasOwn(details, code) ? details[code as keyof typeof details] : code;

/** A failure of the vendor in the API's words: the route, and the reason. */
const FAILURE = /^provider unavailable \(([\w-]+): (.*)\)$/s;

/** Returns what failed at the vendor, in plain words. */
export function failureWords(message: string): string {
  const [, route, reason] = FAILURE.exec(message) ?? [];
  if (route === undefined || reason === undefined) return failures.other;
  const wordOr = (words: Readonly<Record<string, string>>, code: string, other: string): string =>
    Object.hasOwn(words, code) ? (words[code] as string) : other;
  return `${wordOr(failures.routes, route, failures.route)}: ${wordOr(failures.reasons, reason, failures.reason)}`;
}

const NAMES = { ...entitlements, ...products };
const CODES = new RegExp(`\\b(?:${Object.keys(NAMES).join('|').replaceAll('.', '\\.')})\\b`, 'g');

/** Replaces the codes of products and entitlements in a text of the API with the names that the tables use. */
export const withNames = (text: string): string => text.replace(CODES, wordsIn(NAMES));

const UTC = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Returns a time in UTC, in words for a customer. */
export const utcTime = (at: number | string): string => UTC.format(new Date(at));
