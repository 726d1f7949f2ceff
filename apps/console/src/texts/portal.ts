import { revokeReasons } from './reasons';

const CREATE_URL =
  'Create a URL under “Checkout URL” and give it to a customer. When the customer buys, the sale appears here.';
const APPEAR_HERE = 'Your sales appear here.';

export const portalTexts = {
  overview: {
    title: 'Overview',
    whenEmpty: CREATE_URL,
    /** For a session without the right to create checkout URLs. */
    whenEmptyReading: APPEAR_HERE,
  },
  sales: {
    title: 'Sales',
    soldAt: 'Sold',
    sale: 'Sale',
    reference: 'Your reference',
    status: 'Status',
    amount: 'Amount',
    buyer: 'Buyer',
    postback: 'Postback',
    reason: 'Why',
    from: 'From',
    to: 'To',
    emptyTitle: 'No sales',
    empty: CREATE_URL,
    emptyReading: APPEAR_HERE,
    noMatchTitle: 'No sales match the filters',
  },
  sale: {
    title: (oid: string) => `Sale ${oid}`,
    facts: 'The sale',
    heldTitle: 'This sale is being checked',
    held: 'Our team checks some sales before they count. You do not need to do anything. If the sale is released, it counts and its postback is sent. If it is refused, its status changes to “Failed”.',
    qualified: 'Qualified',
    revoked: 'Revoked',
    closed: 'Closed',
    items: 'Items',
    postback: 'The postback',
    noPostback: 'There is no postback for this sale.',
    noPostbackOrOld: 'There is no postback, or it is older than 90 days and no longer kept.',
    postbackHeldReading: 'Your endpoint was missing or disabled.',
    postbackHeld:
      'Your endpoint was missing or disabled. Set it up or enable it under “Endpoint”, then send it under “Deliveries”.',
    noPostbackYet: 'There is no postback for this sale yet.',
    attempts: 'Attempts',
    delivered: 'Delivered',
    next: 'Next attempt',
    error: 'Last error',
    revoke: 'Revoke the sale',
    subject: (oid: string) => `Sale ${oid}`,
    revokeConsequence:
      'The sale is deducted from your net sales. Revoking does not refund the customer or end the subscription. This cannot be undone.',
    revocable: (days: number) =>
      `A sale can be revoked within ${days === 1 ? '1 day' : `${days} days`} of the purchase.`,
    reason: 'Reason',
    reasons: revokeReasons,
    note: 'Note',
    noteHint: 'Your partner manager can read it.',
    done: 'The sale was revoked.',
    toDeliveries: 'Its deliveries',
  },
  endpoint: {
    title: 'Endpoint',
    setUp: 'Set up the endpoint',
    change: 'Change the endpoint',
    enable: 'Save and enable the endpoint',
    none: 'An endpoint is a URL of your own server. It receives a postback for each qualifying sale. Until an endpoint is set up, your postbacks are held.',
    sendHeld: 'Afterwards, send them under “Deliveries”.',
    enables: 'When you save, the endpoint is enabled again, even if you change nothing.',
    consequence:
      'From now on, postbacks are sent to this URL. Your endpoint must answer each request within 15 seconds with a status from 200 to 299. Any other answer except 410, including a redirect, counts as failed, and the postback is retried, up to 10 attempts in total. The answer 410 is not retried and disables the endpoint. Postbacks that are already held are not sent automatically: send them under “Deliveries”.',
    secretNext:
      'When you have saved, the signing secret is shown once: store it in a safe place, because your endpoint needs it to verify postbacks.',
    url: 'URL',
    urlHint:
      'It must begin with https:// and be reachable from the internet, for example https://shop.example.com/postbacks. It receives a POST for each qualifying sale.',
    auth: 'Authentication',
    key: 'Key',
    keyHint:
      'A key that you choose for your own endpoint, and with which it recognizes us. Bearer: a token. Basic: user:password. It is not your token for our API.',
    keyHintChange:
      'The key with which your endpoint recognizes us. Bearer: a token. Basic: user:password. Leave empty to keep the current key, unless you change the authentication.',
    notifyClosures: 'Send notices of refunds and chargebacks',
    notifyClosuresHint:
      'Your endpoint gets a second POST, with the header X-Event, when a sale is refunded or charged back after your endpoint accepted, or may have accepted, its postback.',
    saved: 'The endpoint was saved.',
    savedEnabled: 'The endpoint was saved, and is enabled.',
    changedMeanwhile:
      'Nothing was sent: after you opened this dialog, the endpoint was saved, enabled or disabled, perhaps by an attempt of yours that got no answer. Close the dialog, check the endpoint, and open the dialog again.',
    setUpMeanwhile:
      'The endpoint was set up after you opened this dialog, perhaps by an attempt of yours that got no answer. Its signing secret cannot be shown again. Close the dialog and check the endpoint. If nobody has stored the secret, choose “New signing secret”.',
    secret: 'The signing secret',
    secretHint: 'It is shown only once. Your endpoint uses it to verify the signature of each postback.',
    rotate: 'New signing secret',
    rotateConsequence:
      'A new secret is created and shown once. For 24 hours, postbacks are signed with both secrets. After that, only the new one is used, so your developer must change the secret at your endpoint by then.',
    urlRequired: 'Enter a whole URL, such as https://shop.example.com/postbacks.',
    /** The texts for a refused URL. The keys are the API's messages, as `refusalOf` returns them. */
    urlProblems: {
      'Has a host name that does not resolve': 'No server has this name. Check the spelling; nothing was changed.',
      'Must have a publicly reachable address':
        'This address cannot be reached from the internet. Enter a public one; nothing was changed.',
      'Must begin with https:// or http://': 'The URL must begin with https:// or http://; nothing was changed.',
      'Must begin with https://': 'The URL must begin with https://; nothing was changed.',
      'Must not have a fragment': 'Remove the “#” and what follows it; nothing was changed.',
      'Must not have a user or password':
        'Remove the user and password from the URL, and enter them as the key; nothing was changed.',
      'Has spaces, control characters or backslashes': 'Remove spaces and backslashes; nothing was changed.',
      'Is not a valid URL': 'This is not a valid URL. Check the spelling; nothing was changed.',
    } as Record<string, string>,
    keyRequired: 'Enter a key.',
    /** The texts for a refused key. The keys are the API's messages, as `refusalOf` returns them. */
    keyProblems: {
      'Must be user:password, with a user': 'Enter a user name, a colon and a password.',
      'Must be 1 to 512 visible ASCII characters':
        'Enter at most 512 letters, digits and signs of an English keyboard, without spaces.',
      'Must not be longer than 512 bytes of UTF-8': 'This key is too long. Enter a shorter one.',
      'Must not have control characters or lone surrogates':
        'The key has characters that cannot be sent. Type it in again.',
    } as Record<string, string>,
    disabledTitle: 'The endpoint is disabled: postbacks are held',
    disabledWarning: 'No postback is sent, and none can be sent again, until the endpoint is enabled.',
    missingTitle: 'No endpoint is set up: postbacks are held',
    missing: 'No postback is sent, and none can be sent again, until an endpoint is set up.',
    toEndpoint: 'Go to the endpoint',
    /** @param count the number of failing postbacks; `20+` if there may be more */
    failingTitle: (count: string) =>
      count === '1'
        ? '1 postback is failing and will be retried.'
        : `${count} postbacks are failing and will be retried.`,
    failing: 'Your endpoint did not accept the last attempt.',
    showFailing: (count: string) => (count === '1' ? 'Show it' : 'Show them'),
    /**
     * @param failed the number of failed postbacks, such as `3` or, if there may be more, `20+`; `0` if there are none
     * @param held the number of held postbacks, in the same form
     */
    unsentTitle: (failed: string, held: string, days: number) => {
      const counts = [...(failed === '0' ? [] : [`${failed} failed`]), ...(held === '0' ? [] : [`${held} held`])];
      const isOne = counts.length === 1 && (failed === '1' || held === '1');
      return `${counts.join(' and ')} ${isOne ? 'postback' : 'postbacks'} of the last ${days} days ${isOne ? 'was' : 'were'} not delivered.`;
    },
    unsent: 'Failed and held postbacks are not sent automatically, even when your endpoint works again.',
    sendUnsent: 'Send them under “Deliveries”',
    showUnsent: 'Show them',
    disabledHint:
      'Fix the problem, send a test, then choose “Save and enable the endpoint”. Held postbacks are not sent automatically. Send them under “Deliveries”.',
  },
  checkout: {
    title: 'Checkout URL',
    lead: 'A URL with your discount. Sales through this URL are attributed to you.',
    /** @param lifetime null while it is not known */
    valid: (lifetime: string | null) =>
      `It is valid for ${lifetime ?? 'a limited time'}: the page shows until when, next to the URL.`,
    reference: 'Your reference',
    referenceHint: 'The postback returns it. For example, your order number.',
    plan: 'Plan',
    currency: 'Currency',
    locale: 'Language and region',
    optional: {
      plan: 'Optional: the id of the plan to preselect. Your partner manager knows the ids',
      currency: 'Optional, for example USD',
      locale: 'Optional, for example en-GB',
    },
    /** The texts for refused fields. The keys are the API's messages, as `refusalOf` returns them. */
    problems: {
      'Must be an ISO 4217 code': 'No currency has this code. Enter the three letters of one, for example USD.',
      'Must be a BCP 47 language tag': 'Enter a language, or a language and a region, for example en-GB.',
    } as Record<string, string>,
    make: 'Create the URL',
    noPromotion: 'You have no active promotion',
    noPromotionHint:
      'A checkout URL gives customers the discount of your promotion, and you have none that is active. Ask your partner manager to add or activate a promotion, then create the URL again.',
    discount: (percent: number) => `${percent}% off`,
    until: 'Valid until',
    code: 'The same request from your program',
    token: 'Replace YOUR_TOKEN with a token of your own, which your partner manager can issue.',
  },
  vouchers: {
    title: 'Coupons',
    lead: 'A coupon is a code that a customer redeems once. You create coupons from a voucher group, which sets what they give and how many there can be.',
    groups: 'Voucher groups',
    coupons: 'Coupons',
    couponsOf: (group: string) => `Coupons of ${group}`,
    code: 'Code',
    status: 'Status',
    created: 'Created',
    redeemed: 'Redeemed',
    expires: 'Expires',
    show: 'Show coupons',
    create: 'Create coupons',
    /** @param remaining null if the group has no limit */
    createConsequence: (remaining: number | null) =>
      remaining === null
        ? 'The group has no limit. Coupons cannot be deleted.'
        : `The coupons are taken from the group’s stock, in which ${remaining === 1 ? '1 is' : `${remaining} are`} left. Coupons cannot be deleted.`,
    count: 'How many',
    countRange: (most: number) => `Enter a number from 1 to ${most}. You can create more afterwards.`,
    countRemaining: (remaining: number) =>
      remaining === 1 ? 'Enter 1: only one is left.' : `Enter a number from 1 to ${remaining}: no more are left.`,
    made: (count: number) => (count === 1 ? 'One coupon was created.' : `${count} coupons were created.`),
    emptyTitle: 'No active voucher groups',
    empty: 'Your partner manager can add or reactivate groups.',
    export: 'Export as CSV',
    exporting: (count: number) => `Exporting… ${count} so far`,
    exported: 'The export was saved.',
    noCouponsTitle: 'No coupons',
    noCoupons: 'Create the first coupons from the group.',
    noCouponsReading: 'The coupons of the group appear here.',
    noMatchTitle: 'No coupons match the filter',
    statuses: { active: 'Active', redeemed: 'Redeemed', expired: 'Expired', revoked: 'Revoked' },
  },
} as const;
