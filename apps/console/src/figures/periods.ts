import { useEffect, useState } from 'react';
import { formatDay, formatMonth } from '../components/days';

/** How often an open page checks whether the day has changed, in ms. */
const DAY_CHECK_MS = 60_000;

const pad = (value: number): string => String(value).padStart(2, '0');

/** Formats a local day as `YYYY-MM-DD`, as the APIs do. */
export const dayOf = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** Returns the local day that was `days` days before a time. */
export function daysAgo(days: number, now: Date): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** Returns the first day of the month that was `months` months before a time. */
const monthsAgo = (months: number, now: Date): string => dayOf(new Date(now.getFullYear(), now.getMonth() - months, 1));

/** Returns today, the Monday of this week, the first day of this month, and the first day of the previous month. */
export const startsOf = (now: Date) => ({
  today: dayOf(now),
  week: daysAgo((now.getDay() + 6) % 7, now),
  month: monthsAgo(0, now),
  lastMonth: monthsAgo(1, now),
});

/** The lengths of the parts into which a period is divided. */
export type Unit = 'day' | 'week' | 'month';

/**
 * Returns the label of a day, week or month: for a month the name of the month, for a day or week the first day.
 * @param start the first day as `YYYY-MM-DD`, as in the APIs
 */
export const startTextOf = (start: string, by: Unit): string =>
  by === 'month' ? formatMonth(start) : formatDay(start);

/** The first and the last day of a period. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The predefined periods that a reader can choose. For the choice `otherDays`, the reader enters the first and the last day instead. */
export const PERIODS = {
  thisMonth: (now: Date): Days => ({ from: monthsAgo(0, now), to: dayOf(now) }),
  lastMonth: (now: Date): Days => ({
    from: monthsAgo(1, now),
    to: dayOf(new Date(now.getFullYear(), now.getMonth(), 0)),
  }),
  last30Days: (now: Date): Days => ({ from: daysAgo(29, now), to: dayOf(now) }),
  last3Months: (now: Date): Days => ({ from: monthsAgo(2, now), to: dayOf(now) }),
  last12Months: (now: Date): Days => ({ from: monthsAgo(11, now), to: dayOf(now) }),
};

const DAY_MS = 24 * 3600 * 1000;
/**
 * The longest period that each unit can divide, in days. The APIs accept at most 732 days, 520 weeks or 120 months. A period can begin and end in the
 * middle of a month, so a period that is shorter than 120 months can touch 121 months. The same is true of weeks. The limits in days are therefore
 * lower than 520 weeks and 120 months.
 */
const LONGEST: Readonly<Record<Unit, number>> = { day: 732, week: 3620, month: 3620 };
/**
 * Until the reader chooses a unit, a period of up to FIRST_BY_DAY days is divided into days, a longer period of up to FIRST_BY_WEEK days into weeks,
 * and an even longer period into months.
 */
const FIRST_BY_DAY = 31;
const FIRST_BY_WEEK = 92;

/**
 * Returns in `units` the units that can divide a period: none if the period is too long. Returns in `first` the unit that is used until the reader
 * chooses a unit.
 */
export function unitsOf({ from, to }: Days): { units: Unit[]; first: Unit } {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const units = (['day', 'week', 'month'] as const).filter((unit) => days <= LONGEST[unit]);
  if (days <= FIRST_BY_DAY) return { units, first: 'day' };
  return { units, first: days <= FIRST_BY_WEEK ? 'week' : 'month' };
}

/** Returns the reader's time zone, which decides when days begin. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/**
 * Returns a time in the current local day, and makes the component render again when the local day changes. Also checks the day when the page becomes
 * visible, because browsers stop the timers of hidden pages.
 */
export function useToday(): Date {
  const [today, setToday] = useState(() => new Date());
  useEffect(() => {
    const check = (): void => {
      const now = new Date();
      setToday((known) => (dayOf(known) === dayOf(now) ? known : now));
    };
    const timer = setInterval(check, DAY_CHECK_MS);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, []);
  return today;
}
