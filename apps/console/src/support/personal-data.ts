import { changeDataTexts as t } from '../texts/change-data';

/** What support has typed into the form that changes personal data. */
export interface Values {
  readonly reason: string;
  readonly ssn: string;
  readonly dob: string;
  readonly emailAddress: string;
  readonly phoneNumber: string;
  readonly address: Readonly<Record<'street' | 'city' | 'state' | 'zip', string>>;
}

const MIN_AGE = 18;
const MAX_AGE = 120;
const EMAIL = /^.+@[^@\s]+\.[^@\s]+$/;
const STATE = /^[A-Za-z]{2}$/;
const ZIP = /^\d{5}(-\d{4})?$/;
/** Numbers that the Social Security Administration does not issue. */
const NOT_ISSUED = /^(0000|000.{6}|666.{6}|9.{8}|.{3}00.{4}|.{5}0000)$/;

export const isEmpty = (text: string): boolean => text.trim() === '';

/** Removes the characters that people write between the digits of a number. */
export const digitsOf = (text: string): string => text.replace(/[\s().+-]/g, '');

/**
 * Returns what is wrong with the typed data, by field, so that all wrong fields are marked at once. The checks refuse nothing that the API accepts; the
 * API checks more, for example that a state exists.
 *
 * @param today the day in UTC, YYYY-MM-DD
 */
export function problemsOf(values: Values, today: string): Record<string, string> {
  const { emailAddress, phoneNumber, address } = values;
  const checks: Readonly<Record<string, string | false>> = {
    ssn: ssnProblemOf(digitsOf(values.ssn)),
    dob: values.dob !== '' && !isAdultOn(values.dob, today) && t.invalid.dob,
    emailAddress: !isEmpty(emailAddress) && !EMAIL.test(emailAddress.trim()) && t.invalid.emailAddress,
    phoneNumber: !isEmpty(phoneNumber) && !/^\d{10,15}$/.test(digitsOf(phoneNumber)) && t.invalid.phoneNumber,
    ...(!Object.values(address).every(isEmpty) && addressChecks(address)),
  };
  return Object.fromEntries(Object.entries(checks).filter((entry): entry is [string, string] => entry[1] !== false));
}

function ssnProblemOf(digits: string): string | false {
  if (!/^(\d{4}|\d{9})$/.test(digits)) return t.invalid.ssn;
  return NOT_ISSUED.test(digits) && t.noSuchSsn;
}

/** Returns whether a person is 18 to 120 years old. Someone whose 18th birthday is `today` is 18. */
function isAdultOn(born: string, today: string): boolean {
  const yearsAgo = (years: number): string => `${Number(today.slice(0, 4)) - years}${today.slice(4)}`;
  return born <= yearsAgo(MIN_AGE) && born > yearsAgo(MAX_AGE + 1);
}

/** Each field of the address is required as soon as one is filled in. */
const addressChecks = ({ street, city, state, zip }: Values['address']) => ({
  'address.street': lineProblemOf('address.street', street, 100),
  'address.city': lineProblemOf('address.city', city, 64),
  'address.state': !STATE.test(state.trim()) && t.invalid['address.state'],
  'address.zip': !ZIP.test(zip.trim()) && t.invalid['address.zip'],
});

function lineProblemOf(field: 'address.street' | 'address.city', text: string, max: number): string | false {
  if (isEmpty(text)) return t.missing[field];
  return [...text.trim()].length > max && t.invalid[field];
}
