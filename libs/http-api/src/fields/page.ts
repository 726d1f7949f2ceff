import type { Type } from '@nestjs/common';
import { ValidationFailedError } from '../errors/request-errors';
import { MUST_BE } from './field-words';
import { FlagField, ListField, TextField } from './fields';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Pass it as `cursor` for the following page; null on the last one. */
  nextCursor: string | null;
  hasMore: boolean;
}

/** The class of a page of a list that is sorted newest first. Extend it to give the schema its name. */
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
 * Makes a page of rows that were read with one more than `limit`: that one shows whether another page follows.
 *
 * @param view makes the item that is shown for a row
 * @param cursorOf the cursor that the page behind a row begins with
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

/** The same page of what is shown of its rows. */
export const viewsOf = <Row, T>(page: Page<Row>, view: (row: Row) => T): Page<T> => ({
  ...page,
  items: page.items.map(view),
});

/** How many items a page has that was asked for with `limit`. @throws ValidationFailedError when that is too many */
export function pageLimit(limit: number | undefined, bounds: { default: number; max: number }): number {
  if (limit === undefined || limit <= bounds.max) return limit ?? bounds.default;
  throw new ValidationFailedError([{ field: 'limit', message: `limit ${MUST_BE.atMost(bounds.max)}` }]);
}
