/** The reasons for which a partner can revoke a sale, in words. */
export const revokeReasons = {
  customer_request: 'Requested by the customer',
  returned: 'Returned',
  fraud: 'Fraud',
  order_error: 'Error in the order',
  duplicate: 'Duplicate',
  terms_violation: 'Violation of the terms',
  other: 'Other',
} as const;

/** The reasons why a sale is held, has failed or was revoked, in words for the partner. */
const saleReasons: Readonly<Record<string, string>> = {
  ...revokeReasons,
  buyer_is_partner: 'The buyer used your own contact address',
  disposable_email: 'The buyer used a disposable e-mail address',
  too_many_sales: 'The same buyer made many purchases within an hour',
  payment_failed: 'The payment failed',
  nothing_paid: 'Nothing was paid',
  partner_inactive: 'Your account was not active',
  refused: 'The sale was refused after a check',
};

/** Returns a reason in words. A code that is newer than the console is returned unchanged. */
export const saleReason = (code: string): string => saleReasons[code] ?? code;
