const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;

/** Returns whether a text has the form of the id of a user. */
export const isKrn = (text: string): boolean => KRN.test(text);
