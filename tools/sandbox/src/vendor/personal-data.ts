import { createHash } from 'node:crypto';

/** A field of the form for personal data. Its name is its path in the client API. */
interface Field {
  name: string;
  label: string;
  type?: 'date' | 'email';
  optional?: true;
}

/** The values of the form by the names of their fields. */
export type PersonalData = Readonly<Record<string, string>>;

export const FIELDS: readonly Field[] = [
  { name: 'firstName', label: 'First name' },
  { name: 'lastName', label: 'Last name' },
  { name: 'dob', label: 'Date of birth', type: 'date' },
  { name: 'ssn', label: 'SSN, 4 or 9 digits', optional: true },
  { name: 'emailAddress', label: 'E-mail', type: 'email' },
  { name: 'phoneNumber', label: 'Phone, 10 to 15 digits', optional: true },
  { name: 'address.street', label: 'Street' },
  { name: 'address.city', label: 'City' },
  { name: 'address.state', label: 'State, 2 letters' },
  { name: 'address.zip', label: 'ZIP code' },
];

const PROFILE_VERSION = 1;
const ADDRESS = 'address.';

/** All numbers that have the form of an area code of North America. */
const AREA_CODES = Array.from({ length: 800 }, (_, index) => String(200 + index)).filter((code) =>
  /^[2-9](?!11)[0-8]\d$/.test(code),
);
/** How many numbers of each area code belong to nobody: 555-0100 to 555-0199. */
const RESERVED_NUMBERS = 100;

/**
 * Invents personal data; the same user always gets the same data. Support searches by e-mail address and phone number,
 * so each user has a different address, and two users rarely have the same number.
 */
export function inventedData(krn: string): PersonalData {
  const name = krn.split(':').at(-1) as string;
  const number = createHash('sha256').update(krn).digest().readUInt32BE() % (AREA_CODES.length * RESERVED_NUMBERS);
  const areaCode = AREA_CODES[Math.floor(number / RESERVED_NUMBERS)];
  const lastDigits = String(number % RESERVED_NUMBERS).padStart(2, '0');
  return {
    firstName: 'Jo',
    lastName: 'Sample',
    dob: '1990-04-12',
    ssn: '219099999',
    emailAddress: `${name}@example.com`,
    phoneNumber: `${areaCode}55501${lastDigits}`,
    'address.street': '12 Oak Ave',
    'address.city': 'Denver',
    'address.state': 'CO',
    'address.zip': '80202',
  };
}

/** Reads the fields of the form that are filled in. */
export const readPersonalData = (form: URLSearchParams): PersonalData =>
  Object.fromEntries(FIELDS.map(({ name }) => [name, form.get(name) ?? '']).filter(([, value]) => value !== ''));

/** Returns the body of the request of the client API that creates the profile. */
export function profileOf(data: PersonalData): object {
  const entries = Object.entries(data);
  const address = entries.filter(([name]) => name.startsWith(ADDRESS));
  return {
    ...Object.fromEntries(entries.filter(([name]) => !name.startsWith(ADDRESS))),
    address: Object.fromEntries(address.map(([name, value]) => [name.slice(ADDRESS.length), value])),
    version: PROFILE_VERSION,
  };
}

/** Returns the label that the form has for a field of the client API. */
export const labelOf = (path: unknown): string => FIELDS.find(({ name }) => name === path)?.label ?? String(path);
