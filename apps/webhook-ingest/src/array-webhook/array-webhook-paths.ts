/** The path that the identity vendor calls. */
export const ARRAY_WEBHOOK_PATH = '/idp/array/webhook';
