/** The texts of the dialog in which support changes the personal data of a user. */
export const changeDataTexts = {
  action: 'Change the personal data',
  noProfile: 'the user has no profile, so no personal data is stored.',
  consequence:
    'The vendor checks the identity of the user with the changed data, even if the user is locked out. If the vendor confirms it, the data is changed, a lock ends, and the user has all attempts again. If not, nothing is changed.',
  notShown:
    'Stored data is never shown: enter what the customer tells you. A field that you leave empty is not changed. The name cannot be changed: if it is wrong, the user deletes the profile in the app and creates a new one. If the user is locked, unlock the user before that.',
  ssn: 'Social Security number',
  ssnHint:
    'Always required, because the vendor checks the identity again with every change. The digits that you enter replace the stored number: if you enter only the last 4, only these 4 are stored from then on.',
  dob: 'Date of birth',
  email: 'E-mail address',
  phone: 'Phone number',
  address: 'Address',
  addressHint: 'A new address replaces the whole stored one: fill in all four fields, or none.',
  street: 'Street address',
  city: 'City',
  state: 'State',
  stateHint: 'Two letters, for example OR',
  zip: 'ZIP code',
  noSuchDay: 'This date is incomplete or does not exist.',
  noSuchSsn: 'This is not a valid Social Security number.',
  missing: { 'address.street': 'Enter the street address.', 'address.city': 'Enter the city.' },
  /** What the user has to enter, by the API's names of the fields. */
  invalid: {
    ssn: 'Enter all 9 digits of a Social Security number, or its last 4.',
    dob: 'Enter a whole date. The person must be 18 to 120 years old.',
    emailAddress: 'Enter a whole e-mail address, such as alice@example.com.',
    phoneNumber: 'Enter a phone number of 10 to 15 digits.',
    'address.street': 'Enter a street address of at most 100 characters.',
    'address.city': 'Enter a city of at most 64 characters.',
    'address.state': 'Enter the two letters of a state or territory of the USA.',
    'address.zip': 'Enter 5 digits, or 9 digits such as 97201-1234.',
  },
  changed:
    'The vendor confirmed the identity. The data was changed, and the user has all attempts again. The user has nothing more to do.',
  /** The titles of the refusals and failures in `unchanged`. */
  titles: {
    'the identity vendor does not confirm the identity; nothing was changed': 'The identity was not confirmed',
    'provider unavailable': 'The change was not confirmed',
    'provider timed out': 'The change was not confirmed',
  } as Readonly<Record<string, string>>,
  /** What to do after a refusal or a failure that did not change the stored data, by the messages of the API. */
  unchanged: {
    'the identity vendor does not confirm the identity; nothing was changed':
      'The vendor did not confirm the identity, so nothing was changed. The user did not lose an attempt. Check each value with the customer, and also enter other data that may be stored wrongly. If all of it is right, give the request id to an engineer.',
    'unknown user':
      'The user has no profile any more, so there is nothing to change. Close this dialog, and open the page again to see what happened.',
    'provider unavailable':
      'The vendor failed, so the stored data stays as it was. If the vendor has already taken the new data, the platform sends it the stored data again automatically, as soon as the vendor works. Try again in a few minutes. If it fails again, give the request id to an engineer.',
    'provider timed out':
      'The vendor did not answer in time, or another request for this user was running, so the stored data stays as it was. If the vendor applies the new data later, the platform automatically sends it the stored data again. Try again in a few minutes. If it fails again, give the request id to an engineer.',
  } as Readonly<Record<string, string>>,
  uncertain: 'The data may have been changed. Try again: sending the same data twice does no harm.',
} as const;
