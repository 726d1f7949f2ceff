import type { Type } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';

const alternatives = new Map<string, readonly Type[]>();

/**
 * Describes the class as exactly one of other classes. Each of them has a schema of its own, to which the schema of this class refers: a
 * generator of clients makes a sum type only of alternatives that have names. It is for answers, because it does not validate.
 */
export const OneOf =
  (...types: readonly Type[]): ClassDecorator =>
  (type) => {
    alternatives.set(type.name, types);
    ApiExtraModels(...types)(type);
  };

/** The schemas of the classes that are described by {@link OneOf}, among the given names. */
export const oneOfSchemas = (names: readonly string[]): Record<string, { oneOf: { $ref: string }[] }> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const types = alternatives.get(name);
      return types ? [[name, { oneOf: types.map((type) => ({ $ref: `#/components/schemas/${type.name}` })) }]] : [];
    }),
  );
