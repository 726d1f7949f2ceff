import { Text } from '@mantine/core';
import { texts } from '../texts/common';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const UTC = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
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
