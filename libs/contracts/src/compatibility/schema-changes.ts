import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../documents/class-schema';

/** The kinds of changes that break programs which read or store events of the released schema. */
export type BreakingRule =
  | 'field-removed'
  | 'field-retyped'
  | 'required-field-added'
  | 'field-made-required'
  | 'field-made-optional'
  | 'rule-changed';

/** One breaking difference between two schemas. */
export interface SchemaChange {
  /** The path of the field from the data's root, like `items[].price`; empty for the data itself. */
  readonly field: string;
  readonly rule: BreakingRule;
  readonly detail: string;
}

/** Keywords that {@link ruleChanges} skips, because they refuse no data, or because other functions compare them. */
const NOT_COMPARED = new Set([
  'title',
  'description',
  '$schema',
  '$id',
  '$defs',
  '$ref',
  'type',
  'properties',
  'required',
]);

interface Side {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

/**
 * Returns the breaking differences between the released schema of an event's data and the present one. Consumers built
 * with the old schema read new events, and new consumers read old events that are still in a topic. So among the changes
 * of fields and their rules, only an added optional field is compatible.
 */
export function breakingSchemaChanges(released: JsonSchema, present: JsonSchema): SchemaChange[] {
  return compare('', { schema: released, root: released }, { schema: present, root: present }, new Set());
}

/**
 * @param compared the pairs of definitions whose comparison is in progress. They are not compared again: otherwise, the
 *   comparison of a class that is nested in itself would never end
 */
function compare(field: string, before: Side, after: Side, compared: ReadonlySet<string>): SchemaChange[] {
  const pair = `${String(before.schema['$ref'])} ${String(after.schema['$ref'])}`;
  if (before.schema['$ref'] !== undefined && compared.has(pair)) return [];
  const [old, now] = [resolved(before), resolved(after)];
  if (!isDeepStrictEqual(old.schema['type'], now.schema['type'])) {
    const detail = `its type was ${text(old.schema['type'])} and is now ${text(now.schema['type'])}`;
    return [{ field, rule: 'field-retyped', detail }];
  }
  const inside = new Set([...compared, pair]);
  return [
    ...ruleChanges(field, old.schema, now.schema),
    ...elementChanges(field, old, now, inside),
    ...fieldChanges(field, old, now, inside),
  ];
}

function ruleChanges(field: string, old: JsonSchema, now: JsonSchema): SchemaChange[] {
  const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return keywords
    .filter((keyword) => !NOT_COMPARED.has(keyword) && !(keyword === 'items' && hasItems(old) && hasItems(now)))
    .filter((keyword) => !sameRule(old[keyword], now[keyword]))
    .map((keyword) => ({
      field,
      rule: 'rule-changed',
      detail: `${keyword} was ${text(old[keyword])} and is now ${text(now[keyword])}`,
    }));
}

const elementChanges = (field: string, old: Side, now: Side, compared: ReadonlySet<string>): SchemaChange[] =>
  hasItems(old.schema) && hasItems(now.schema)
    ? compare(`${field}[]`, { ...old, schema: old.schema.items }, { ...now, schema: now.schema.items }, compared)
    : [];

function fieldChanges(field: string, old: Side, now: Side, compared: ReadonlySet<string>): SchemaChange[] {
  const [oldFields, fields] = [propertiesOf(old), propertiesOf(now)];
  const [oldRequired, required] = [requiredOf(old), requiredOf(now)];
  const added = Object.keys(fields).filter((name) => !Object.hasOwn(oldFields, name));
  const pathOf = (name: string): string => (field === '' ? name : `${field}.${name}`);
  const ofKnown = Object.entries(oldFields).flatMap(([name, schema]): SchemaChange[] => {
    const present = fields[name];
    if (present === undefined)
      return [
        removed(
          pathOf(name),
          added.find((other) => isDeepStrictEqual(fields[other], schema)),
        ),
      ];
    return [
      ...presenceChange(pathOf(name), oldRequired.has(name), required.has(name)),
      ...compare(pathOf(name), { ...old, schema }, { ...now, schema: present }, compared),
    ];
  });
  const ofAdded = added
    .filter((name) => required.has(name))
    .map((name): SchemaChange => ({
      field: pathOf(name),
      rule: 'required-field-added',
      detail: 'it was added and is required: events that were published before do not have it',
    }));
  return [...ofKnown, ...ofAdded];
}

const removed = (field: string, renamedTo: string | undefined): SchemaChange => ({
  field,
  rule: 'field-removed',
  detail: renamedTo === undefined ? 'it was removed' : `it was removed; "${renamedTo}" looks like its new name`,
});

function presenceChange(field: string, was: boolean, is: boolean): SchemaChange[] {
  if (was === is) return [];
  return was
    ? [{ field, rule: 'field-made-optional', detail: 'it was required and is optional: consumers rely on it' }]
    : [{ field, rule: 'field-made-required', detail: 'it was optional and is required: earlier events may lack it' }];
}

type WithItems = JsonSchema & { readonly items: JsonSchema };

const hasItems = (schema: JsonSchema): schema is WithItems =>
  typeof schema['items'] === 'object' && schema['items'] !== null && !Array.isArray(schema['items']);

/** Whether two values of a keyword are the same. The order of the values in a list has no meaning. */
const sameRule = (old: unknown, now: unknown): boolean =>
  Array.isArray(old) && Array.isArray(now)
    ? isDeepStrictEqual(new Set(old), new Set(now))
    : isDeepStrictEqual(old, now);

function resolved({ schema, root }: Side): Side {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { schema, root };
  const definitions = root['$defs'] as Record<string, JsonSchema>;
  return { schema: { ...schema, ...definitions[reference.replace('#/$defs/', '')] }, root };
}

const propertiesOf = ({ schema }: Side): Record<string, JsonSchema> =>
  (schema['properties'] ?? {}) as Record<string, JsonSchema>;

const requiredOf = ({ schema }: Side): ReadonlySet<string> => new Set((schema['required'] ?? []) as string[]);

const text = (value: unknown): string => (value === undefined ? 'not there' : JSON.stringify(value));
