import { isEmail } from '@tandem/http-api';
import { ValidateBy } from 'class-validator';

/** Control characters, NUL among them, and halves of a character that was cut apart. */
const NOT_TEXT = /[\p{Cc}\p{Surrogate}]/u;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MIN_AGE = 18;
const MAX_AGE = 120;

/** States, the District of Columbia, territories, and the posts of the armed forces, as the USPS writes them. */
const STATES = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN ' +
    'TX UT VT VA WA WV WI WY DC AS GU MP PR VI UM FM MH PW AA AE AP'
  ).split(' '),
);

const field = (name: string, isValid: (text: string) => boolean): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: (value: unknown) => typeof value === 'string' && isValid(value) } });

/** A text of 1 to `max` code points on one line. */
export const IsLine = (max: number): PropertyDecorator =>
  field('isLine', (text) => text !== '' && !NOT_TEXT.test(text) && [...text].length <= max);

/** A text in which every blank is wrong too. */
export const IsDigits = (form: RegExp): PropertyDecorator => field('isDigits', (text) => form.test(text));

export const IsZip = (): PropertyDecorator => IsDigits(/^\d{5}(-\d{4})?$/);

/** In any case. */
export const IsState = (): PropertyDecorator =>
  field('isState', (text) => /^[A-Za-z]{2}$/.test(text) && STATES.has(text.toUpperCase()));

/** Of at most 254 code points; whether mail arrives there is not checked. */
export const IsEmailAddress = (): PropertyDecorator => field('isEmailAddress', isEmail);

/** The last 4 digits or all 9, of a number that the administration could have given out. */
export const IsSocialSecurityNumber = (): PropertyDecorator =>
  field('isSocialSecurityNumber', (text) => {
    if (/^\d{4}$/.test(text)) return text !== '0000';
    return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(text);
  });

/** A day that there was, YYYY-MM-DD, of somebody who is 18 to 120 years old today (UTC). */
export const IsAdultBirthDate = (): PropertyDecorator =>
  field('isAdultBirthDate', (text) => {
    const age = ageOn(text, new Date());
    return age !== null && age >= MIN_AGE && age <= MAX_AGE;
  });

/** Full years from a day until another one; null when the text names no day. */
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
