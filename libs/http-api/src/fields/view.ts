import type { Type } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';
import { describedFields } from './fields';

/** The class of a view of `Row`, for the document and for types; {@link of} makes one. */
export interface ViewClass<Row, Hidden extends keyof Row> {
  new (): Omit<Row, Hidden>;
  /** The described fields of a row, and no other that the row has. */
  of(this: void, row: Omit<Row, Hidden>): Omit<Row, Hidden>;
}

/**
 * What is shown of a row: the fields that are described in its class, so that a column that is added later is not shown by itself.
 * Extend it to give the schema its name.
 *
 *     class TokenDto extends ViewOf(PartnerToken, { hidden: ['seq', 'hash'] }) {}
 *     TokenDto.of(token)
 *
 * @param hidden the other fields, which the type of the view does not have
 * @throws Error when one of them is described
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

/** A value of a class: the fields of `from` that the class describes, and no other. */
export const viewAs = <T extends object>(type: Type<T>, from: T): T => pickFields(from, describedFields(type)) as T;

const pickFields = (from: object, fields: readonly string[]): object =>
  Object.fromEntries(fields.map((field) => [field, (from as Record<string, unknown>)[field]]));
