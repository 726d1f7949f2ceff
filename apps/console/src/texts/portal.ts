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
    noPostbackYet: 'There is no postback for this sale yet.',
    attempts: 'Attempts',
    delivered: 'Delivered',
    next: 'Next attempt',
    error: 'Last error',
    revoke: 'Revoke the sale',
    revokeConsequence: 'The sale is deducted from your net sales. This cannot be undone.',
    revocable: (days: number) =>
      `A sale can be revoked within ${days === 1 ? '1 day' : `${days} days`} of the purchase.`,
    reason: 'Reason',
    reasons: revokeReasons,
    note: 'Note',
    done: 'The sale was revoked.',
    toDeliveries: 'Its deliveries',
  },
  endpoint: {
    title: 'Endpoint',
    setUp: 'Set up the endpoint',
    change: 'Change the endpoint',
    consequence:
      'From now on, postbacks are sent to this URL. Your endpoint must answer each request within 15 seconds with a status from 200 to 299. Any other answer except 410, including a redirect, counts as failed, and the postback is retried, up to 10 attempts in total. The answer 410 is not retried and disables the endpoint. Postbacks that are already held are not sent automatically: send them under “Deliveries”.',
    secretNext:
      'When you have saved, the signing secret is shown once: store it in a safe place, because your endpoint needs it to verify postbacks.',
    url: 'URL',
    urlHint:
      'It must begin with https:// and be reachable from the internet, for example https://shop.example.com/postbacks. It receives a POST for each qualifying sale.',
    auth: 'Authentication',
    key: 'Key',
    keyHint: 'Bearer: the token. Basic: user:password.',
    keyHintChange:
      'Bearer: the token. Basic: user:password. Leave empty to keep the current key, unless you change the authentication.',
    notifyClosures: 'Send notices of refunds and charge-backs',
    notifyClosuresHint:
      'Your endpoint gets a second POST, with the header X-Event, when a sale is refunded or charged back after your endpoint accepted its postback.',
    saved: 'The endpoint was saved.',
    secret: 'The signing secret',
    secretHint: 'It is shown only once. Your endpoint uses it to verify the signature of each postback.',
    rotate: 'New signing secret',
    rotateConsequence: 'A new secret is created and shown once. For 24 hours, postbacks are signed with both secrets.',
    urlRequired: 'Enter a whole URL, such as https://shop.example.com/postbacks.',
    /** The texts for a refused URL. The keys are the ends of the API's error messages. */
    urlProblems: {
      'has a host name that does not resolve': 'No server has this name. Check the spelling; nothing was changed.',
      'must have a publicly reachable address':
        'This address cannot be reached from the internet. Enter a public one; nothing was changed.',
      'must begin with https:// or http://': 'The URL must begin with https:// or http://; nothing was changed.',
      'must begin with https://': 'The URL must begin with https://; nothing was changed.',
      'must not have a fragment': 'Remove the “#” and what follows it; nothing was changed.',
      'must not have a user or password':
        'Remove the user and password from the URL, and enter them as the key; nothing was changed.',
      'has blanks, control characters or backslashes': 'Remove blanks and backslashes; nothing was changed.',
      'is not a valid URL': 'This is not a valid URL. Check the spelling; nothing was changed.',
    } as Record<string, string>,
    keyRequired: 'Enter a key.',
    disabledTitle: 'The endpoint is disabled: postbacks are held',
    disabledHint:
      'Fix the problem, send a test, then save the endpoint again, which enables it. Held postbacks are not sent automatically. Send them with “Send again” under “Deliveries”.',
  },
  checkout: {
    title: 'Checkout URL',
    lead: 'A URL with your discount. Sales through this URL are attributed to you.',
    reference: 'Your reference',
    referenceHint: 'The postback returns it. For example, your order number.',
    plan: 'Plan',
    currency: 'Currency',
    locale: 'Language',
    optional: {
      plan: 'Optional: the id of the plan to preselect',
      currency: 'Optional, for example USD',
      locale: 'Optional, for example en-GB',
    },
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
    title: 'Vouchers',
    groups: 'Voucher groups',
    coupons: 'Coupons',
    code: 'Code',
    status: 'Status',
    created: 'Created',
    redeemed: 'Redeemed',
    expires: 'Expires',
    show: 'Show coupons',
    create: 'Create coupons',
    createConsequence: 'The coupons are taken from the group’s stock. This cannot be undone.',
    count: 'How many',
    countRange: (most: number) => `Enter a number from 1 to ${most}.`,
    made: (count: number) => (count === 1 ? 'One coupon was created.' : `${count} coupons were created.`),
    emptyTitle: 'No active voucher groups',
    empty: 'Your partner manager can add or reactivate groups.',
    noCouponsTitle: 'No coupons',
    noCoupons: 'Create the first coupons from the group.',
    noMatchTitle: 'No coupons match the filter',
    statuses: { active: 'Active', redeemed: 'Redeemed', expired: 'Expired', revoked: 'Revoked' },
  },
} as const;
