const FOUND_BY_PROFILE =
  'This finds only users whose identity was confirmed. Check the spelling with the customer first. A user who was locked out before that, who has not entered the personal data yet, or who was erased, is found by the subscription id or the user id (KRN): ask for the subscription id in the receipt or e-mail of the purchase, or for the KRN in the app. Billing shows both.';

export const findTexts = {
  title: 'Find a user',
  by: 'Find by',
  kinds: { email: 'E-mail address', phone: 'Phone number', subscriptionId: 'Subscription id', krn: 'User id (KRN)' },
  hints: {
    email: 'As the user gives it: all spellings of one mailbox find the same users.',
    phone: '10 to 15 digits. The country code 1 may be omitted.',
    subscriptionId: 'The id from billing, for example sub_1f0c9a7e5b3d42868d1e4c7a',
    krn: 'The id of a user in billing, in logs and on these screens, for example krn:tandem:eu:user:alice',
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
  shortened: 'This id is shortened. Copy the whole id.',
  none: 'No user was found.',
  /** The hints when no user was found, by the kind of the value. There is no hint for a KRN, because a KRN always opens a page. */
  noneHints: {
    email: FOUND_BY_PROFILE,
    phone: FOUND_BY_PROFILE,
    subscriptionId:
      'No user of identity protection belongs to this subscription. Compare the whole id with the one in billing. Purchases without identity protection, such as a VPN alone, or without a user account are not found here: billing has their details. If billing shows a user id (KRN), search by that.',
    krn: null,
  },
  toSale: 'Show the sale with this id',
  found: 'Users that were found',
  /** The API returns at most 10 users. */
  several: (count: number) =>
    `${count === 10 ? 'At least 10' : count} users were found. Ask the customer for the subscription id or the KRN, to be sure which of them is the right one.`,
  user: 'User',
  profile: 'Has a profile',
  lead: 'Support screens never show personal data, only which data is stored and what happened.',
} as const;
