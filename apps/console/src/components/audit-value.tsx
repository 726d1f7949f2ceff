import { Fragment } from 'react';
import { texts } from '../texts/common';
import { Time } from './time';

/** An ISO 8601 time, as APIs write it. */
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

interface AuditValueProps {
  readonly value: unknown;
  /** Returns the words for the name of an object's field. */
  readonly nameOf: (field: string) => string;
  /** Returns the words for a code. Returns any other text unchanged. */
  readonly inWords?: (code: string) => string;
}

/** A value of an audit entry in words: Yes or No, a time in the reader's time zone, a list, or the fields of an object with their values. */
export function AuditValue({ value, nameOf, inWords }: AuditValueProps) {
  if (value === undefined || value === null) return <>{texts.none}</>;
  if (typeof value === 'boolean') return <>{value ? texts.yes : texts.no}</>;
  if (typeof value === 'string') return TIME.test(value) ? <Time value={value} /> : <>{inWords?.(value) ?? value}</>;
  if (typeof value !== 'object') return <>{JSON.stringify(value)}</>;
  const parts: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((one: unknown) => ['', one])
    : Object.entries(value);
  if (parts.length === 0) return <>{texts.none}</>;
  return parts.map(([name, one], index) => (
    <Fragment key={index}>
      {index > 0 && ', '}
      {name && `${nameOf(name)}: `}
      <AuditValue value={one} nameOf={nameOf} inWords={inWords} />
    </Fragment>
  ));
}
