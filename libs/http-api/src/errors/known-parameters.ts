import { SetMetadata, type Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { FieldProblem } from './http-failure';

const MARK = 'known-parameters-only';

/**
 * Of the query class of a list, and of those that extend it: a parameter that the class does not validate is refused (422), so that
 * a misspelt filter does not answer with everything.
 */
export const KnownParametersOnly = (): ClassDecorator => SetMetadata(MARK, true);

/**
 * The parameters of a query that its class does not know; empty when the class accepts unknown ones.
 *
 * @param query as it was parsed: an object of texts
 */
export function unknownParameters(query: unknown, type: Type): FieldProblem[] {
  if (Reflect.getMetadata(MARK, type) !== true || typeof query !== 'object' || query === null) return [];
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const known = new Set(metadata.map(({ propertyName }) => propertyName));
  return Object.keys(query)
    .filter((field) => !known.has(field))
    .map((field) => ({ field, message: `${field} is not a parameter of this list` }));
}
