import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { InputValidationError } from './input-validation.errors';

type DtoClass<T extends object = object> = new () => T;
type Fields = Record<string, unknown>;

/**
 * Reads a body or a query into its class. Strings are trimmed, a null field counts as missing, and unknown fields are ignored.
 *
 * @param type a class with class-validator's decorators; a nested object has `@IsObject()` and `@ValidateNested()`
 * @throws InputValidationError with the paths of the invalid fields, or `body` when the value is not an object
 */
export function readDto<T extends object>(type: DtoClass<T>, value: unknown): T {
  if (!isRecord(value)) throw new InputValidationError(['body']);
  const dto = fill(type, value);
  const paths = pathsOf(validateSync(dto, { forbidUnknownValues: false }));
  if (paths.length > 0) throw new InputValidationError(paths);
  return dto as T;
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Creates an instance of the class, with only the fields of the class. This function does not use class-transformer, which fails on names
 * that every object inherits, such as `constructor`.
 */
function fill(type: DtoClass, value: Fields): object {
  const dto = new type() as Fields;
  for (const [name, isNested] of fieldsOf(type)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) continue;
    if (typeof given === 'string') dto[name] = given.trim();
    else dto[name] = isNested && isRecord(given) ? fill(typeOf(type, name), given) : given;
  }
  return dto;
}

const knownFields = new WeakMap<DtoClass, ReadonlyMap<string, boolean>>();

/**
 * Returns the fields of a class, and whether each of them is a nested object. The result is cached.
 */
function fieldsOf(type: DtoClass): ReadonlyMap<string, boolean> {
  let fields = knownFields.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    const isNested = (name: string): boolean =>
      rules.some(({ type: kind, propertyName }) => kind === 'nestedValidation' && propertyName === name);
    fields = new Map(rules.map(({ propertyName }) => [propertyName, isNested(propertyName)]));
    knownFields.set(type, fields);
  }
  return fields;
}

const typeOf = (type: DtoClass, property: string): DtoClass =>
  Reflect.getMetadata('design:type', type.prototype as object, property) as DtoClass;

/**
 * Returns the paths of the invalid fields. When a field that must be an object has another value, only the path of this field is returned.
 */
function pathsOf(errors: readonly ValidationError[], parent = ''): string[] {
  return errors.flatMap((error) => {
    const path = parent ? `${parent}.${error.property}` : error.property;
    return error.constraints ? [path] : pathsOf(error.children ?? [], path);
  });
}
