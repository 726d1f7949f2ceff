import { DECIMAL_STRING, type FieldRule, KRN } from '@tandem/contracts';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { MUST_BE } from './field-words';

/** Control characters, in a form that a JSON Schema pattern accepts with and without the flag `u`. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
const DOMAIN_LABEL = `[^\\s@."${CONTROL}]+`;
/**
 * An e-mail address. The local part may be quoted, and the domain must have at least two labels. Whether mail can be
 * delivered is not checked.
 */
const EMAIL = new RegExp(`^(?:[^\\s@"${CONTROL}]+|"[^"${CONTROL}]+")@(?:${DOMAIN_LABEL}\\.)+${DOMAIN_LABEL}\\.?$`);
/** The lenient form of an address that another system has already accepted: refusing the address would lose a purchase. */
export const REPORTED_EMAIL = /^[^\s@"]+@[^\s@]+$|^"[^"\r\n]+"@[^\s@]+$/;
const MAX_EMAIL = 254;
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:[Zz]|[+-](\d{2}):?(\d{2}))$/;
/** Lone surrogates and U+0000: Postgres does not store them unchanged, and fails when it reads them in JSON. */
const NOT_STORABLE = /\p{Surrogate}|\0/u;

/**
 * Reads an ISO 8601 date and time with its offset, from 1970 to 9999. The offset is required: without it the text would mean a
 * different time on each machine. The week dates and bare hours of ISO 8601 are not accepted.
 *
 * @returns null for any other text
 */
export function parseTimestamp(text: string): Date | null {
  const parts = TIMESTAMP.exec(text);
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const time = new Date(withColonInZone(text.toUpperCase().replace(',', '.')));
  // A time before 1970 or after 9999 is the sender's mistake.
  return time.getUTCFullYear() >= 1970 && time.getUTCFullYear() <= 9999 ? time : null;
}

/** Reads the value of a `TimeField`. @throws RangeError for a text that a `TimeField` refuses */
export function timeOf(text: string): Date {
  const time = parseTimestamp(text);
  if (time === null) throw new RangeError('the text is not an ISO 8601 date and time with an offset');
  return time;
}

/** Adds the colon to an offset such as `+0100`: JavaScript does not require `Date` to parse an offset without a colon. */
function withColonInZone(text: string): string {
  return text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
}

const isStorable = (value: unknown): value is string => typeof value === 'string' && !NOT_STORABLE.test(value);

function isStorableText(value: unknown, min: number, max: number): value is string {
  if (!isStorable(value)) return false;
  // A code point has one or two UTF-16 units, so the number of units usually decides, and the text need not be split.
  const length = value.length >= 2 * min && value.length <= max ? value.length : [...value].length;
  return length >= min && length <= max;
}

/** Whether a text is a user's KRN. */
export const isKrn = (value: unknown): value is string => typeof value === 'string' && KRN.test(value);

const isAddress = (value: string, form: RegExp): boolean =>
  form.test(value) && !NOT_STORABLE.test(value) && [...value].length <= MAX_EMAIL;

/** Whether a text, without trimming, is an e-mail address of at most 254 code points: the rule for addresses that people enter. */
export const isEmail = (value: unknown): value is string => typeof value === 'string' && isAddress(value, EMAIL);

/**
 * The rules of the decorators below, except `IsStorable`, by name. `compileClass` of `@tandem/contracts` takes them, so
 * its validators call the same functions.
 */
export const FIELD_RULES = {
  isText: isStorableText,
  isTimestamp: (value: unknown) => typeof value === 'string' && parseTimestamp(value) !== null,
  isDecimalString: (value: unknown) => typeof value === 'string' && DECIMAL_STRING.test(value),
  isKrn,
  isReportedEmail: (value: unknown) => typeof value === 'string' && isAddress(value.trim(), REPORTED_EMAIL),
  isRecord: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} satisfies Record<string, FieldRule>;

type RuleName = keyof typeof FIELD_RULES;

function checkedBy(name: RuleName, options: ValidationOptions, constraints: number[] = []): PropertyDecorator {
  const rule: (value: unknown, ...constraints: number[]) => boolean = FIELD_RULES[name];
  const validate = (value: unknown): boolean => rule(value, ...constraints);
  return ValidateBy({ name, constraints, validator: { validate } }, options);
}

/** A text that contains neither U+0000 nor lone surrogates. */
export const IsStorable = (options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy({ name: 'isStorable', validator: { validate: isStorable } }, { message: MUST_BE.storable, ...options });

/** A text of `min` to `max` code points that can be stored. */
export const IsText = (min: number, max: number, options: ValidationOptions = {}): PropertyDecorator => {
  const message = `must be ${options.each ? 'an array of strings' : 'a string'} of ${min} to ${max} characters`;
  return checkedBy('isText', { message, ...options }, [min, max]);
};

/** See {@link parseTimestamp}. */
export const IsTimestamp = (options: ValidationOptions = {}): PropertyDecorator =>
  checkedBy('isTimestamp', { message: MUST_BE.time, ...options });

/** An amount of money with at most 2 decimals, as text: a float would round it. */
export const IsDecimalString = (): PropertyDecorator =>
  checkedBy('isDecimalString', { message: 'must be a decimal string with at most 2 decimals' });

/** A user's KRN. */
export const IsKrn = (): PropertyDecorator => checkedBy('isKrn', { message: 'must be a KRN' });

/** See {@link REPORTED_EMAIL}; surrounding white space is ignored. */
export const IsReportedEmail = (): PropertyDecorator =>
  checkedBy('isReportedEmail', { message: 'must be an e-mail address of at most 254 characters' });

/** An object, not an array: class-validator's nested validation accepts an empty array as an object. */
export const IsRecord = (options: ValidationOptions = {}): PropertyDecorator =>
  checkedBy('isRecord', { message: options.each ? 'must be an array of objects' : MUST_BE.object, ...options });
