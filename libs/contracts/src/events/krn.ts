/** The form of a user's KRN: what the platform's identity APIs call a user by. */
export const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;
