import type { Type } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';

const alternatives = new Map<string, readonly Type[]>();

/**
 * Describes a class as `oneOf` other classes. Each of these has a named schema, to which the schema of the class refers, because client
 * generators create a sum type only from named alternatives. Use it only for answers: it does not validate.
 */
export const OneOf =
  (...types: readonly Type[]): ClassDecorator =>
  (type) => {
    alternatives.set(type.name, types);
    ApiExtraModels(...types)(type);
  };

/** Returns the `oneOf` schemas of the named classes. Classes without {@link OneOf} are left out. */
export const oneOfSchemas = (names: readonly string[]): Record<string, { oneOf: { $ref: string }[] }> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const types = alternatives.get(name);
      return types ? [[name, { oneOf: types.map((type) => ({ $ref: `#/components/schemas/${type.name}` })) }]] : [];
    }),
  );
