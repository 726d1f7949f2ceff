/** Matches the end of a time that is already in our form, which is the form of `Date.toISOString()`. */
const WRITTEN_BY_DATE = /\.\d{3}Z$/;

/**
 * Converts a time to our form: ISO 8601 in UTC, with milliseconds.
 *
 * @param time RFC 3339, with any offset
 */
export const utc = (time: string): string =>
  WRITTEN_BY_DATE.test(time) && time.length === 24 ? time : new Date(time).toISOString();
