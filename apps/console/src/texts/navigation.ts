/** The address of the guide for partners. */
export const GUIDE = '/docs/partner-guide';

export const navigationTexts = {
  label: 'Screens',
  manager: 'Partners',
  overview: 'Overview',
  sales: 'Sales',
  held: 'Held sales',
  partners: 'Partners',
  applications: 'Applications',
  audit: 'Audit',
  support: 'Support',
  findUser: 'Find a user',
  supportAudit: 'Support audit',
  endpoint: 'Endpoint',
  deliveries: 'Deliveries',
  checkout: 'Checkout URL',
  vouchers: 'Coupons',
  guide: 'Partner guide (new tab)',
  endsAt: 'Session ends',
  readOnly: 'You have read-only access. For more, ask your partner manager for a new link.',
  endsByReload: 'Reloading this page ends it, too.',
} as const;
