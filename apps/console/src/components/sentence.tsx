import { Fragment } from 'react';
import { Time } from './time';

/** Splits a text at its ISO 8601 times: the parts at odd indexes are the times. */
const TIMES = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z)/;

/** Matches a text that begins with an id, a code or a URL: its first word contains a digit, an underscore, or a colon that does not end the word. */
const BEGINS_WITH_ID = /^\S*(?:[\d_]|:\S)/;

/**
 * Shows a text of an API as a sentence. The first letter becomes a capital letter if the text does not begin with an id. Times are shown in the
 * reader's time zone and, with `withUtc`, also in UTC.
 */
export function Sentence({ children, withUtc }: { children: string; withUtc?: boolean }) {
  const text = BEGINS_WITH_ID.test(children) ? children : children.charAt(0).toUpperCase() + children.slice(1);
  return text
    .split(TIMES)
    .map((part, index) => (
      <Fragment key={index}>{index % 2 === 1 ? <Time value={part} withUtc={withUtc} /> : part}</Fragment>
    ));
}
