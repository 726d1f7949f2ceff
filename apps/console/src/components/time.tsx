import { Text } from '@mantine/core';
import { texts } from '../texts/common';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const SECONDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const UTC = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

interface TimeProps {
  readonly value: string | null | undefined;
  readonly withUtc?: boolean;
  readonly withSeconds?: boolean;
}

/**
 * Shows a time in the reader's time zone, with the time in UTC as tooltip. With `withUtc`, the time in UTC is also shown next to it. If both are
 * the same, only the time in UTC is shown.
 */
export function Time({ value, withUtc = false, withSeconds = false }: TimeProps) {
  if (!value) return <>{texts.none}</>;
  const at = new Date(value);
  const utc = `${UTC.format(at)} ${texts.utc}`;
  const isUtc = at.getTimezoneOffset() === 0;
  return (
    <>
      <time dateTime={value} title={utc} style={{ whiteSpace: 'nowrap' }}>
        {withUtc && isUtc ? utc : (withSeconds ? SECONDS : LOCAL).format(at)}
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
