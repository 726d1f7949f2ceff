export const findTexts = {
  title: 'Find a user',
  by: 'Find by',
  kinds: { krn: 'KRN', email: 'E-mail address', phone: 'Phone number', subscriptionId: 'Subscription' },
  hints: {
    krn: 'For example krn:tandem:eu:user:alice',
    email: 'As the user gives it: all spellings of one mailbox find the same users.',
    phone: '10 to 15 digits. The country code 1 may be left out.',
    subscriptionId: 'The id from billing, for example sub-1001',
  },
  show: 'Show the user',
  /** The texts for a value that the API refuses. */
  invalid: {
    krn: 'A KRN looks like krn:tandem:eu:user:alice.',
    email: 'Enter a whole e-mail address, such as alice@example.com.',
    phone: 'Enter a phone number of 10 to 15 digits.',
    subscriptionId: 'Enter the id of a subscription, as billing shows it.',
  },
  missing: 'Enter a value to search for.',
  none: 'No user was found.',
  noneHint: 'E-mail addresses and phone numbers are part of profiles, so they do not find users without a profile.',
  several: 'Several users were found',
  user: 'User',
  profile: 'Profile',
  lead: 'Support screens never show personal data, only which data is stored and what happened.',
} as const;
