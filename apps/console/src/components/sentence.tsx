import { Fragment } from 'react';
import { Time } from './time';

/** Splits a text at its ISO 8601 times, so every second part is a time. */
const TIMES = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z)/;

/** Shows a clause from an API as a sentence: with a capital letter, unless it begins with a URL, and with times in the reader's time zone. */
export function Sentence({ children }: { children: string }) {
  const text = /^\w+:\/\//.test(children) ? children : children.charAt(0).toUpperCase() + children.slice(1);
  return text
    .split(TIMES)
    .map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <Time value={part} /> : part}</Fragment>);
}
