import type { Type } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';

/** The class of a view of `Row`, for the document and for types; {@link of} makes one. */
export interface ViewClass<Row, Field extends keyof Row> {
  new (): Pick<Row, Field>;
  /** The named fields of a row, and no other that the row has. */
  of(this: void, row: Pick<Row, Field>): Pick<Row, Field>;
}

/**
 * What is shown of a row: the fields that are named here, so that a column that is added later is not shown by itself. Extend it to
 * give the schema its name.
 *
 *     class TokenDto extends ViewOf(PartnerToken, ['id', 'last4']) {}
 *     TokenDto.of(token)
 */
export function ViewOf<Row extends object, Field extends Extract<keyof Row, string>>(
  row: Type<Row>,
  fields: readonly Field[],
): ViewClass<Row, Field> {
  const Picked = PickType(row, fields);
  return Object.assign(class extends (Picked as Type<object>) {}, {
    of: (from: Pick<Row, Field>) =>
      Object.fromEntries(fields.map((field) => [field, from[field]])) as unknown as Pick<Row, Field>,
  }) as unknown as ViewClass<Row, Field>;
}
