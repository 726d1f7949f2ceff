/**
 * The first and last day that a date field accepts. A request for a period contains the start of the day that follows the period. That day's year
 * must have four digits too, so LAST_DAY must be before 9999-12-31.
 */
const FIRST_DAY = '2000-01-01';
const LAST_DAY = '9998-12-31';

/** The properties of a date field. Browsers enforce the bounds only in their own date picker, so `isDay` checks them too. */
export const DAY_FIELD = { type: 'date', min: FIRST_DAY, max: LAST_DAY } as const;

/** Returns whether the value of a date field is a day from 2000 to 9998. A browser also accepts years such as 0002 and 20261. */
export const isDay = (value: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(value) && value >= FIRST_DAY && value <= LAST_DAY;

/** Returns whether a date field is empty or contains a day from 2000 to 9998. An incomplete date has an empty `value`, but sets `badInput`. */
export const isDayOrEmpty = ({ value, validity }: HTMLInputElement): boolean =>
  !validity.badInput && (value === '' || isDay(value));

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** Returns noon of a local day. Midnight does not exist on some days, in time zones that change their clocks at midnight. */
export const noonOf = (day: string): Date => new Date(`${day}T12:00:00`);

/** Formats a day, which APIs write as `2026-03-01`, in the date format of `Time`. */
export const formatDay = (day: string): string => DAY.format(noonOf(day));

/** Formats the month that contains a day, which APIs write as `2026-03-01`. */
export const formatMonth = (day: string): string => MONTH.format(noonOf(day));

/** Formats the days from `from` to `to` as a range. */
export const formatDays = (from: string, to: string): string => DAY.formatRange(noonOf(from), noonOf(to));
