import { useEffect, useState } from 'react';

/** How often an open page checks whether the day has changed, in ms. */
const DAY_CHECK_MS = 60_000;

const pad = (value: number): string => String(value).padStart(2, '0');

/** Formats a local day as `YYYY-MM-DD`, as the APIs do. */
export const dayOf = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** Returns the local day that was `days` days before a time. */
export function daysAgo(days: number, now: Date): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** Returns today, the Monday of this week, and the first day of this month. */
export const startsOf = (now: Date) => ({
  today: dayOf(now),
  week: daysAgo((now.getDay() + 6) % 7, now),
  month: dayOf(new Date(now.getFullYear(), now.getMonth(), 1)),
});

/** Returns the reader's time zone, which decides when days begin. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/**
 * Returns a time of today, and renders again when the local day changes. Also checks the day when the page becomes visible, because browsers stop the
 * timers of hidden pages.
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
