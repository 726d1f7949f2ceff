const FOUND_BY_PROFILE =
  'This finds only users who have entered their personal data in the app. Users who have bought a plan but not done so, and users who were erased, are found by the subscription id or the user id (KRN), which billing shows. The page of an erased user has the receipt of the erasure.';

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
  none: 'No user was found.',
  /** Who can be found, by the kind of the value. A KRN always opens a page. */
  noneHints: {
    email: FOUND_BY_PROFILE,
    phone: FOUND_BY_PROFILE,
    subscriptionId:
      'No user of identity protection belongs to this subscription. Its id may be mistyped, its plan may not include identity protection, or it was bought without a user account. Check it in billing: if billing shows a user id (KRN), search by that. If not, there is no user to see here: billing has the details of the purchase. For a purchase through a partner, partner managers have them too, under “Sales”.',
    krn: null,
  },
  toSale: 'Show the sale with this id',
  several: 'Several users were found',
  user: 'User',
  profile: 'Profile',
  lead: 'Support screens never show personal data, only which data is stored and what happened.',
} as const;
