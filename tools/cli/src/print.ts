import { once } from 'node:events';
import { printableLines } from '@tandem/partner/listen';
import { show, table } from './table';

/** Returns the width of the terminal, or else COLUMNS; undefined when there is neither. */
const columns = (): number | undefined => process.stdout.columns ?? (Number(process.env.COLUMNS) || undefined);

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** A page of a list. */
export interface ListPage {
  readonly items: readonly object[];
  readonly nextCursor?: string | null;
}

/** Prints an answer: as JSON with the option `--json`, otherwise formatted by `readable`. */
export function print<T>({ json }: { json?: boolean }, answer: T, readable: (answer: T) => string = asFields): void {
  console.log(printableLines(json ? toJson(answer) : readable(answer)));
}

/**
 * Prints an answer as it arrives. On a terminal, its control characters are escaped; a file or another program gets it unchanged.
 *
 * @throws when the answer ends early
 */
export async function printStream(body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const text = process.stdout.isTTY ? printableLines(decoder.decode(chunk, { stream: true })) : chunk;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }
}

/** Returns a text as a sentence: adds a full stop if the text, such as the message of another program, ends without a punctuation mark. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Formats an answer as names and values. */
export const asFields = (body: unknown): string => {
  const entries = Object.entries(body as object);
  const width = Math.max(...entries.map(([key]) => key.length));
  return entries.map(([key, value]) => `${key.padEnd(width)}  ${show(value)}`).join('\n');
};

/** Formats a page as a table in the width of the terminal. @param rowOf returns the fields of an item to show */
export function asTable<T extends ListPage>(
  { items, nextCursor }: T,
  { none = 'none', rowOf = (item: T['items'][number]): object => item } = {},
): string {
  if (items.length === 0) return none;
  const text = table(items.map(rowOf) as Record<string, unknown>[], columns());
  const notes = [
    ...(text.includes('…') ? ['values are cut: --json prints them whole'] : []),
    ...(nextCursor ? [`more: --cursor ${nextCursor}`] : []),
  ];
  return [text, ...notes].join('\n');
}
