import { SetMetadata, type Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { FieldProblem } from './http-failure';

const MARK = 'known-parameters-only';

/**
 * Decorates the class of a query, and makes DtoPipe refuse parameters that the class does not have. Without this rule, a
 * request with a misspelled filter would get the whole list. Subclasses inherit the rule.
 */
export const KnownParametersOnly = (): ClassDecorator => SetMetadata(MARK, true);

/**
 * Returns the parameters of a query that its class does not have. The result is empty for a class without `@KnownParametersOnly()`.
 *
 * @param query the parsed query
 */
export function unknownParameters(query: unknown, type: Type): FieldProblem[] {
  if (Reflect.getMetadata(MARK, type) !== true || typeof query !== 'object' || query === null) return [];
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const known = new Set(metadata.map(({ propertyName }) => propertyName));
  return Object.keys(query)
    .filter((field) => !known.has(field))
    .map((field) => ({ field, message: `${field} is not a parameter of this list` }));
}
