import type { Type } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';
import { describedFields } from './fields';

/** The class of a view of `Row`. It is the type of the view, and a schema of the OpenAPI document. Its static method `of` creates a view. */
export interface ViewClass<Row, Hidden extends keyof Row> {
  new (): Omit<Row, Hidden>;
  /** Returns the view of a row. */
  of(this: void, row: Omit<Row, Hidden>): Omit<Row, Hidden>;
}

/**
 * Creates the class of a view of a row. A view has only the fields to which the row's class gives a field decorator, so a column that is
 * added later is not shown automatically. Extend the class to name its schema.
 *
 *     class TokenDto extends ViewOf(PartnerToken, { hidden: ['seq', 'hash'] }) {}
 *     TokenDto.of(token)
 *
 * @param hidden the fields without a decorator, which are left out of the view's type
 * @throws Error when a hidden field has a decorator
 */
export function ViewOf<Row extends object, Hidden extends Extract<keyof Row, string>>(
  row: Type<Row>,
  { hidden }: { hidden: readonly Hidden[] },
): ViewClass<Row, Hidden> {
  const fields = describedFields(row);
  const shown = hidden.filter((field) => fields.includes(field));
  if (shown.length > 0) throw new Error(`${row.name} describes ${shown.join(', ')}, which its view hides`);
  const Picked = PickType(row as Type<Record<string, unknown>>, fields);
  return Object.assign(class extends (Picked as Type<object>) {}, {
    of: (from: Omit<Row, Hidden>) => pickFields(from, fields),
  }) as unknown as ViewClass<Row, Hidden>;
}

/** Returns a copy of `from` with only the fields that the class describes. */
export const viewAs = <T extends object>(type: Type<T>, from: T): T => pickFields(from, describedFields(type)) as T;

const pickFields = (from: object, fields: readonly string[]): object =>
  Object.fromEntries(fields.map((field) => [field, (from as Record<string, unknown>)[field]]));
