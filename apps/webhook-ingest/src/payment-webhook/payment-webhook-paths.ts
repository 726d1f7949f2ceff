/** The paths that the billing provider calls. */
export const PAYMENT_WEBHOOK_PATH = '/idp/payments/webhook';
export const PLAN_CHANGE_WEBHOOK_PATH = '/idp/payments/webhook/plan-change';
