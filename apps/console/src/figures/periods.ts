const pad = (value: number): string => String(value).padStart(2, '0');

/** Formats a local day as `YYYY-MM-DD`, as the APIs do. */
export const dayOf = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** Returns the local day that was `days` days before now. */
export function daysAgo(days: number, now = new Date()): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** Returns today, the Monday of this week, and the first day of this month. */
export const startsOf = (now = new Date()) => ({
  today: dayOf(now),
  week: daysAgo((now.getDay() + 6) % 7, now),
  month: dayOf(new Date(now.getFullYear(), now.getMonth(), 1)),
});

/** Returns the reader's time zone, which decides when days begin. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
