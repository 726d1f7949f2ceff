import { Text } from '@mantine/core';
import { texts } from '../texts/common';

const form = (timeStyle: 'short' | 'medium' | 'long', timeZone?: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle, timeZone });
const LOCAL = form('short');
const SECONDS = form('medium');
const ZONED = form('long');
const UTC = form('long', 'UTC');

interface TimeProps {
  readonly value: string | null | undefined;
  readonly withUtc?: boolean;
  readonly withSeconds?: boolean;
}

/**
 * Shows a time in the reader's time zone, with the time in UTC as tooltip. With `withUtc`, the name of the time zone and the time in UTC are shown
 * next to the time. If the reader's time is UTC, only the time in UTC is shown.
 */
export function Time({ value, withUtc = false, withSeconds = false }: TimeProps) {
  if (!value) return <>{texts.none}</>;
  const at = new Date(value);
  const utc = UTC.format(at);
  const isUtc = at.getTimezoneOffset() === 0;
  return (
    <>
      <time dateTime={value} title={utc} style={{ whiteSpace: 'nowrap' }}>
        {withUtc ? (isUtc ? utc : ZONED.format(at)) : (withSeconds ? SECONDS : LOCAL).format(at)}
      </time>
      {withUtc && !isUtc && (
        <Text span c="dimmed" fz="inherit">
          {' '}
          ({utc})
        </Text>
      )}
    </>
  );
}
