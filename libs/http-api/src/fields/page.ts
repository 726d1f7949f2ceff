import type { Type } from '@nestjs/common';
import { ValidationFailedError } from '../errors/request-errors';
import { MUST_BE } from './field-words';
import { FlagField, ListField, TextField } from './fields';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  nextCursor: string | null;
  hasMore: boolean;
}

/** Creates the class of a page of a list that is sorted newest first. Extend it to name the schema. */
export function PageOf<T extends object>(item: new () => T): Type<Page<T>> {
  class ItemPage {
    @ListField(() => item, { description: 'Newest first' })
    items!: T[];

    @TextField({ min: 1, nullable: true, description: 'Pass it as `cursor` for the next page. Null on the last page' })
    nextCursor!: string | null;

    @FlagField({ example: false })
    hasMore!: boolean;
  }
  return ItemPage;
}

/**
 * Makes a page from up to `limit` + 1 rows. The additional row is not part of the page: it shows that another page follows.
 *
 * @param view converts a row to the item that is shown
 * @param cursorOf returns the cursor of the page that begins after a row
 */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => T,
  cursorOf: (last: Row) => string,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { items: shown.map(view), nextCursor: hasMore && last !== undefined ? cursorOf(last) : null, hasMore };
}

/** Returns a page with its rows converted to views. */
export const viewsOf = <Row, T>(page: Page<Row>, view: (row: Row) => T): Page<T> => ({
  ...page,
  items: page.items.map(view),
});

/** Returns the size of a page: the requested `limit`, or the default. @throws ValidationFailedError when `limit` is too large */
export function pageLimit(limit: number | undefined, bounds: { default: number; max: number }): number {
  if (limit === undefined || limit <= bounds.max) return limit ?? bounds.default;
  throw new ValidationFailedError([{ field: 'limit', message: `limit ${MUST_BE.atMost(bounds.max)}` }]);
}
