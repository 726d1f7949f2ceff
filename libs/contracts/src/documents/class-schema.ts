import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, IS_ISO8601, MATCHES, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any class whose instances class-validator can check
export type ValidatedClass = new (...args: any[]) => object;

/** The schemas that are equivalent to custom rules, by the rule's name. */
export type SchemaConverters = NonNullable<
  NonNullable<Parameters<typeof targetConstructorToSchema>[1]>['additionalConverters']
>;

const DEFS = '#/$defs/';

const CONVERTERS: SchemaConverters = {
  [IS_ISO8601]: { type: 'string', format: 'date-time' },
  [MATCHES]: (meta) => ({ pattern: patternOf(meta.constraints[0] as RegExp), type: 'string' }),
};

function patternOf({ source, flags }: RegExp): string {
  if (flags !== '') throw new Error(`/${source}/${flags}: a pattern of a JSON Schema cannot have flags`);
  return source;
}

/**
 * Returns the JSON Schema of a class with class-validator's decorators. The schemas of nested classes are in `$defs`,
 * by name.
 *
 * @param converters the equivalent schema of each custom rule, by the rule's name
 * @throws Error when a class has no rules, a pattern has flags, a nested field has no `@Type`, or two nested classes have
 *   the same name
 */
export function schemaOfClass(type: ValidatedClass, converters: SchemaConverters = {}): JsonSchema {
  const nested = nestedClassesOf(type);
  const definitions = [...nested].map(([name, one]): [string, JsonSchema] => [name, ownSchemaOf(one, converters)]);
  return {
    ...ownSchemaOf(type, converters),
    ...(definitions.length > 0 ? { $defs: Object.fromEntries(definitions.sort(byName)) } : {}),
  };
}

function ownSchemaOf(type: ValidatedClass, converters: SchemaConverters): JsonSchema {
  const schema = targetConstructorToSchema(type, {
    refPointerPrefix: DEFS,
    classTransformerMetadataStorage: defaultMetadataStorage,
    additionalConverters: { ...CONVERTERS, ...converters },
  }) as JsonSchema;
  if (schema['properties'] === undefined) throw new Error(`${type.name} has no validators`);
  return sorted(schema);
}

/**
 * Returns the classes of the nested fields, recursively, by name. Two different classes of the same name are an error.
 */
function nestedClassesOf(
  type: ValidatedClass,
  found = new Map<string, ValidatedClass>(),
): ReadonlyMap<string, ValidatedClass> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  for (const { type: rule, target, propertyName } of rules) {
    if (rule !== ValidationTypes.NESTED_VALIDATION) continue;
    const nested = defaultMetadataStorage.findTypeMetadata(target as ValidatedClass, propertyName)?.typeFunction();
    if (!nested) throw new Error(`${type.name}.${propertyName} has no @Type`);
    const known = found.get(nested.name);
    if (known && known !== nested) throw new Error(`two nested classes are called ${nested.name}`);
    if (known) continue;
    found.set(nested.name, nested as ValidatedClass);
    nestedClassesOf(nested as ValidatedClass, found);
  }
  return found;
}

/**
 * Sorts the fields of a schema. Decorators are stored in no useful order, so without sorting, an edit of a class would
 * reorder its whole schema.
 */
function sorted(schema: JsonSchema): JsonSchema {
  const { properties, required, ...rest } = schema as { properties: object; required?: string[] };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).sort(byName)),
    ...(required ? { required: [...required].sort() } : {}),
    ...rest,
  };
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
