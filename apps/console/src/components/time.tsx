import { Text } from '@mantine/core';
import { texts } from '../texts/common';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const UTC = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** A time in the reader's time zone. The time in UTC is in its tooltip and, with `withUtc`, also next to it. */
export function Time({ value, withUtc = false }: { value: string | null | undefined; withUtc?: boolean }) {
  if (!value) return <>{texts.none}</>;
  const at = new Date(value);
  const utc = `${UTC.format(at)} ${texts.utc}`;
  return (
    <>
      <time dateTime={value} title={utc} style={{ whiteSpace: 'nowrap' }}>
        {LOCAL.format(at)}
      </time>
      {withUtc && (
        <Text span c="dimmed" fz="inherit">
          {' '}
          · {utc}
        </Text>
      )}
    </>
  );
}
