import type { FieldProblem } from '@tandem/http-api';
import { DateTime, IANAZone } from 'luxon';
import type { Period, StatisticsQuery } from './statistics.dto';

/** Consecutive periods without gaps. */
export interface Periods {
  /** The start of each period, in order, and the end of the last period. */
  readonly starts: readonly DateTime<true>[];
  readonly by: Period;
  readonly timeZone: string;
}

const DEFAULT_DAYS = 30;
const MAX_PERIODS: Readonly<Record<Period, number>> = { day: 732, week: 520, month: 120 };

/** Converts a query to periods. @returns the periods, or the problems of the query's fields */
export function periodsOf({ from, to, by, timeZone }: StatisticsQuery, now: Date): Periods | FieldProblem[] {
  if (!isZoneName(timeZone)) {
    return [{ field: 'timeZone', message: 'timeZone must be a name of the IANA time zone database' }];
  }
  const dayOf = (text: string): DateTime => DateTime.fromISO(text, { zone: timeZone });
  const last = to === undefined ? DateTime.fromJSDate(now, { zone: timeZone }) : dayOf(to);
  const first = from === undefined ? last.minus({ days: DEFAULT_DAYS - 1 }) : dayOf(from);
  const problems = [
    ...(isDay(first) ? [] : [{ field: 'from', message: NO_DAY('from') }]),
    ...(isDay(last) ? [] : [{ field: 'to', message: NO_DAY('to') }]),
  ];
  if (!isDay(first) || !isDay(last)) return problems;
  if (startOf(first, 'day') > startOf(last, 'day'))
    return [{ field: 'to', message: 'to must not be earlier than from' }];
  const starts = startsBetween(first, last, by);
  if (starts !== null) return { starts, by, timeZone };
  return [{ field: 'from', message: `from and to must span at most ${MAX_PERIODS[by]} ${by}s` }];
}

/**
 * Returns whether a text is the name of a time zone. Newer versions of Node also accept offsets as time zones, such as `+05:37`; these are
 * refused, because they do not begin with a letter.
 */
const isZoneName = (text: string): boolean => /^[A-Z]/i.test(text) && IANAZone.isValidZone(text);

const NO_DAY = (field: string): string => `${field} must be a day from 1970 to 9998, such as 2026-03-01`;

const isDay = (day: DateTime): day is DateTime<true> => day.isValid && day.year >= 1970 && day.year <= 9998;

/**
 * Returns the start of the period that contains a day. If the clock goes back to midnight, midnight occurs twice, and the day starts at the
 * first midnight. Luxon alone would choose one of the two midnights by the offset of `day`, and for a parsed date by the offset of today.
 */
const startOf = (day: DateTime<true>, by: Period): DateTime<true> =>
  DateTime.min(...day.startOf(by).getPossibleOffsets()) ?? day.startOf(by);

/** Returns the start of each period and the end of the last one. @returns null when there are more periods than allowed */
function startsBetween(first: DateTime<true>, last: DateTime<true>, by: Period): DateTime<true>[] | null {
  const begin = startOf(first, by);
  const starts = [begin];
  // Periods are added in calendar units and not in hours, because a day on which the clock changes does not have 24 hours.
  for (let count = 1; ; count++) {
    const start = startOf(begin.plus({ [`${by}s`]: count }), by);
    starts.push(start);
    if (start > last) return starts;
    if (count >= MAX_PERIODS[by]) return null;
  }
}
