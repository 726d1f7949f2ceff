/** As Date writes it. */
const WRITTEN_BY_DATE = /\.\d{3}Z$/;

/**
 * A time of the vendor as we write times: ISO 8601 in UTC, with milliseconds.
 *
 * @param time RFC 3339, in any time zone
 */
export const utc = (time: string): string =>
  WRITTEN_BY_DATE.test(time) && time.length === 24 ? time : new Date(time).toISOString();
