/** The form of a user's KRN, by which the platform's identity APIs identify users. */
export const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;
