import { InvalidCursorError } from '@tandem/internal-api';
import type { Page } from '@tandem/service-defaults';

/** Where a page starts: below this sequence number. */
export interface PageRequest {
  before: string | null;
  limit: number;
}

const CURSOR = /^(.*):(\d{1,19})$/s;

/** A cursor is bound to its list (and the list's filters), so that it cannot be used with another. */
export function encodeCursor(list: string, seq: string): string {
  return Buffer.from(`${list}:${seq}`, 'utf8').toString('base64url');
}

/** @throws InvalidCursorError */
export function decodeCursor(list: string, cursor: string): string {
  const [, boundTo, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (boundTo !== list || seq === undefined || encodeCursor(list, seq) !== cursor || BigInt(seq) > 2n ** 63n - 1n) {
    throw new InvalidCursorError();
  }
  return seq;
}

/** What to read for a page: one row more than it shows tells whether another page exists. */
export function pageRequest(list: string, query: { cursor?: string; limit: number }): PageRequest {
  return { before: query.cursor === undefined ? null : decodeCursor(list, query.cursor), limit: query.limit };
}

/** Makes a page of rows that were read with `limit + 1`. */
export function toPage<Row extends { seq: string }, T>(
  list: string,
  { limit }: PageRequest,
  rows: readonly Row[],
  view: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { items: shown.map(view), nextCursor: hasMore && last ? encodeCursor(list, last.seq) : null, hasMore };
}
