import { once } from 'node:events';
import { printable } from '@tandem/partner/listen';
import { show, table } from './table';

/** Returns the width of the terminal, or else COLUMNS; undefined when there is neither. */
const columns = (): number | undefined => process.stdout.columns ?? (Number(process.env.COLUMNS) || undefined);

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** Escapes the control characters of a text except its ends of lines, so that an answer cannot control the terminal. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** A page of a list. */
export interface ListPage {
  readonly items: readonly object[];
  readonly nextCursor?: string | null;
}

/** Prints an answer as JSON, or formatted by `readable`. */
export function print<T>({ json }: { json?: boolean }, answer: T, readable: (answer: T) => string = asFields): void {
  console.log(printableLines(json ? toJson(answer) : readable(answer)));
}

/** Prints an answer as it arrives. @throws when the answer ends early */
export async function printStream(body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

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
