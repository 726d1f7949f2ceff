const MINUTE_MS = 60_000;

const inUnit = (count: number, unit: 'minute' | 'hour' | 'day'): string =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count);

/**
 * Returns in words, such as `24 hours`, how long a new checkout URL is valid.
 *
 * @param answeredAt the `Date` header of the answer that contains the URL; the clock of this computer may be wrong
 */
export function lifetimeOf(expiresAt: string, answeredAt: string | null): string {
  const from = answeredAt === null ? Date.now() : Date.parse(answeredAt);
  const minutes = Math.round((Date.parse(expiresAt) - from) / MINUTE_MS);
  if (minutes % 60 !== 0) return inUnit(minutes, 'minute');
  return minutes % 1440 === 0 && minutes > 1440 ? inUnit(minutes / 1440, 'day') : inUnit(minutes / 60, 'hour');
}
