import { isEmail } from '@tandem/http-api';
import { ValidateBy } from 'class-validator';

/** Control characters, including NUL, and lone surrogates. */
const NOT_TEXT = /[\p{Cc}\p{Surrogate}]/u;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MIN_AGE = 18;
const MAX_AGE = 120;

/** USPS codes of the states, the District of Columbia, the territories, the freely associated states, and the armed forces. */
const STATES = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN ' +
    'TX UT VT VA WA WV WI WY DC AS GU MP PR VI FM MH PW AA AE AP'
  ).split(' '),
);

const field = (name: string, isValid: (text: string) => boolean): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: (value: unknown) => typeof value === 'string' && isValid(value) } });

/** A text of 1 to `max` code points on one line. */
export const IsLine = (max: number): PropertyDecorator =>
  field('isLine', (text) => text !== '' && !NOT_TEXT.test(text) && [...text].length <= max);

/** A text that matches `form`. */
export const IsDigits = (form: RegExp): PropertyDecorator => field('isDigits', (text) => form.test(text));

export const IsZip = (): PropertyDecorator => IsDigits(/^\d{5}(-\d{4})?$/);

/** A USPS code, in upper or lower case. */
export const IsState = (): PropertyDecorator =>
  field('isState', (text) => /^[A-Za-z]{2}$/.test(text) && STATES.has(text.toUpperCase()));

/** An e-mail address of at most 254 code points; whether mail can be delivered is not checked. */
export const IsEmailAddress = (): PropertyDecorator => field('isEmailAddress', isEmail);

/** The last 4 or all 9 digits of a number that the Social Security Administration could have issued. */
export const IsSocialSecurityNumber = (): PropertyDecorator =>
  field('isSocialSecurityNumber', (text) => {
    if (/^\d{4}$/.test(text)) return text !== '0000';
    return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(text);
  });

/** An existing day, YYYY-MM-DD: the birth date of a person who is 18 to 120 years old today (UTC). */
export const IsAdultBirthDate = (): PropertyDecorator =>
  field('isAdultBirthDate', (text) => {
    const age = ageOn(text, new Date());
    return age !== null && age >= MIN_AGE && age <= MAX_AGE;
  });

/** Returns the full years from the day that the text names until `today`; null if the text is not a day. */
export function ageOn(text: string, today: Date): number | null {
  const [year, month, day] = (DATE.exec(text)?.slice(1) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  const born = new Date(Date.UTC(year, month - 1, day));
  if (born.getUTCFullYear() !== year || born.getUTCMonth() !== month - 1 || born.getUTCDate() !== day) return null;
  const years = today.getUTCFullYear() - year;
  const hadBirthday =
    today.getUTCMonth() > month - 1 || (today.getUTCMonth() === month - 1 && today.getUTCDate() >= day);
  return hadBirthday ? years : years - 1;
}
