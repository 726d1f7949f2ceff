import Ajv2020, { type ErrorObject, type FuncKeywordDefinition } from 'ajv/dist/2020';
import { isISO8601, maxLength, minLength } from 'class-validator';
import { type JsonSchema, schemaOfClass, type ValidatedClass } from '../documents/class-schema';
import { conditionalFieldsOf, dataSchemaOf } from '../documents/json-schema';
import type { EventDefinition } from '../events/event-definition';

/**
 * Returns up to ten invalid fields with the rules that they break, such as `items.0.price (pattern)`, but never their
 * values; null when the data is valid. Unknown fields are accepted. A field that is undefined counts as absent, and so
 * does an optional field that is null.
 */
export type Validator = (data: unknown) => readonly string[] | null;

/** A custom rule: the function that its decorator calls, with the decorator's constraints. */
export type FieldRule = (value: unknown, ...constraints: never[]) => boolean;

const MAX_FAULTS = 10;
const ofEvents = new WeakMap<EventDefinition<object>, Validator>();

/**
 * Returns the validator of an event's data: the rules of its class, compiled once per process. It accepts and refuses
 * the same data as class-validator, but takes plain objects and creates no instances.
 */
export function validatorOf<T extends object>(event: EventDefinition<T>): Validator {
  const definition = event as unknown as EventDefinition<object>;
  let validator = ofEvents.get(definition);
  if (!validator) {
    validator = compile(acceptNull(dataSchemaOf(definition), conditionalFieldsOf(definition)), {});
    ofEvents.set(definition, validator);
  }
  return validator;
}

/**
 * Compiles a validator of any class that has class-validator's decorators.
 *
 * @param rules the custom rules by name. A custom rule belongs to a `ValidateBy` decorator that is not
 *   class-validator's own; the decorator must set `constraints`
 * @throws Error for a class of which {@link schemaOfClass} cannot make a schema
 */
export function compileClass(type: ValidatedClass, rules: Readonly<Record<string, FieldRule>> = {}): Validator {
  const converters = Object.fromEntries(
    Object.keys(rules).map((name) => [
      name,
      (meta: { constraints?: unknown[] }) => ({ [name]: meta.constraints ?? [] }),
    ]),
  );
  return compile(acceptNull(schemaOfClass(type, converters), []), rules);
}

function compile(schema: JsonSchema, rules: Readonly<Record<string, FieldRule>>): Validator {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
  // Dates and lengths are checked by the functions that the decorators call. Ajv's own check of lengths differs: JSON
  // Schema counts a variation selector as a character, and class-validator does not.
  ajv.addFormat('date-time', (text: string) => isISO8601(text, { strict: true }));
  for (const name of ['minLength', 'maxLength']) ajv.removeKeyword(name);
  ajv.addKeyword(lengthKeyword('minLength', (text, min) => text.length >= 3 * min || minLength(text, min)));
  ajv.addKeyword(lengthKeyword('maxLength', (text, max) => text.length <= max || maxLength(text, max)));
  for (const [keyword, rule] of Object.entries(rules)) {
    ajv.addKeyword({
      keyword,
      schemaType: 'array',
      errors: false,
      compile: (constraints: never[]) => (value: unknown) => rule(value, ...constraints),
    });
  }
  const validate = ajv.compile(schema);
  return (data) => (validate(data) ? null : describe(validate.errors ?? []));
}

const lengthKeyword = (keyword: string, fits: (text: string, limit: number) => boolean): FuncKeywordDefinition => ({
  keyword,
  type: 'string',
  schemaType: 'number',
  errors: false,
  compile: (limit: number) => (text: string) => fits(text, limit),
});

/**
 * Returns a schema whose optional fields may be null, because `@IsOptional` treats null as absent. `conditional` fields
 * may be absent, but never null.
 */
function acceptNull(schema: JsonSchema, conditional: readonly string[]): JsonSchema {
  const { $defs = {}, ...root } = schema as { $defs?: Record<string, JsonSchema> };
  const definitions = Object.entries($defs).map(([name, nested]) => [name, withNullableFields(nested, [])]);
  return { ...withNullableFields(root, conditional), $defs: Object.fromEntries(definitions) };
}

function withNullableFields(schema: JsonSchema, conditional: readonly string[]): JsonSchema {
  const { properties, required = [] } = schema as { properties: Record<string, JsonSchema>; required?: string[] };
  const never = new Set([...required, ...conditional]);
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    never.has(name) ? field : { if: { type: 'null' }, then: true, else: field },
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function describe(errors: readonly ErrorObject[]): readonly string[] {
  const faults = new Map<string, Set<string>>();
  for (const { instancePath, keyword, params } of errors) {
    if (keyword === 'if') continue; // this error reports only that a branch failed, and the branch has its own error
    const missing = keyword === 'required' ? `/${(params as { missingProperty: string }).missingProperty}` : '';
    const field = `${instancePath}${missing}`.slice(1).replaceAll('/', '.') || 'data';
    faults.set(field, (faults.get(field) ?? new Set()).add(keyword));
  }
  return [...faults].slice(0, MAX_FAULTS).map(([field, rules]) => `${field} (${[...rules].join(', ')})`);
}
