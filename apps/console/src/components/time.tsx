import { Text } from '@mantine/core';
import { texts } from '../texts/common';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const UTC = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** Noon, because in some time zones the clock changes at midnight, which some days then do not have. */
const noonOf = (day: string): Date => new Date(`${day}T12:00:00`);

/** Formats a day of an API, such as `2026-03-01`, as `Time` formats days. */
export const formatDay = (day: string): string => DAY.format(noonOf(day));

/** Formats the month of a day of an API. */
export const formatMonth = (day: string): string => MONTH.format(noonOf(day));

/** Formats the first and the last of some days. */
export const formatDays = (from: string, to: string): string => DAY.formatRange(noonOf(from), noonOf(to));

/**
 * A time in the reader's time zone. The time in UTC is in its tooltip and, with `withUtc`, also next to it, unless the reader's time zone has the
 * time of UTC.
 */
export function Time({ value, withUtc = false }: { value: string | null | undefined; withUtc?: boolean }) {
  if (!value) return <>{texts.none}</>;
  const at = new Date(value);
  const utc = `${UTC.format(at)} ${texts.utc}`;
  const isUtc = at.getTimezoneOffset() === 0;
  return (
    <>
      <time dateTime={value} title={utc} style={{ whiteSpace: 'nowrap' }}>
        {withUtc && isUtc ? utc : LOCAL.format(at)}
      </time>
      {withUtc && !isUtc && (
        <Text span c="dimmed" fz="inherit">
          {' '}
          · {utc}
        </Text>
      )}
    </>
  );
}
