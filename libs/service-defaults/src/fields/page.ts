import type { Type } from '@nestjs/common';
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
