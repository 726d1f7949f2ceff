import type { JsonSchema } from '../documents/class-schema';
import { breakingSchemaChanges } from './schema-changes';

const TEXT = { type: 'string' };
const SALE: JsonSchema = {
  type: 'object',
  properties: {
    oid: { type: 'string', minLength: 1, maxLength: 255 },
    status: { type: 'string', enum: ['held', 'qualified'] },
    soldAt: { type: 'string', format: 'date-time' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    note: { type: 'string', not: { enum: ['a'] } },
    labels: { type: 'object', additionalProperties: TEXT },
    items: { type: 'array', items: { $ref: '#/$defs/Item', type: 'object' } },
  },
  required: ['oid', 'status', 'soldAt', 'currency', 'items'],
  $defs: {
    Item: {
      type: 'object',
      properties: { price: TEXT, tier: TEXT, parts: { type: 'array', items: { $ref: '#/$defs/Item' } } },
      required: ['price'],
    },
  },
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests change the schema at any place
type Changeable = any;

/** Copies a schema by JSON, because the objects of structuredClone belong to another realm in Jest. */
const copyOf = (schema: JsonSchema): Changeable => JSON.parse(JSON.stringify(schema));

/** Returns the breaking changes that are found after a change of the released schema. */
function changesBy(change: (schema: Changeable) => void): [field: string, rule: string][] {
  const present = copyOf(SALE);
  change(present);
  return breakingSchemaChanges(SALE, present).map(({ field, rule }) => [field, rule]);
}

const rename = (fields: Changeable, from: string, to: string): void => {
  fields[to] = fields[from];
  delete fields[from];
};

describe('breaking changes of a schema', () => {
  it.each<[string, (schema: Changeable) => void, [string, string][]]>([
    ['a removed field', ({ properties }) => delete properties.note, [['note', 'field-removed']]],
    [
      'a removed required field',
      (schema) => {
        delete schema.properties.oid;
        schema.required = schema.required.slice(1);
      },
      [['oid', 'field-removed']],
    ],
    ['a renamed field', ({ properties }) => rename(properties, 'note', 'remark'), [['note', 'field-removed']]],
    ['another type', ({ properties }) => (properties.note = { type: 'integer' }), [['note', 'field-retyped']]],
    ['another type of elements', ({ properties }) => (properties.items.items = TEXT), [['items[]', 'field-retyped']]],
    ['an optional field made required', ({ required }) => required.push('note'), [['note', 'field-made-required']]],
    ['a required field made optional', ({ required }) => required.shift(), [['oid', 'field-made-optional']]],
    [
      'an added required field',
      ({ properties, required }) => {
        properties.plan = TEXT;
        required.push('plan');
      },
      [['plan', 'required-field-added']],
    ],
    ['a removed enum value', ({ properties }) => properties.status.enum.pop(), [['status', 'rule-changed']]],
    ['an added enum value', ({ properties }) => properties.status.enum.push('lost'), [['status', 'rule-changed']]],
    ['a wider bound', ({ properties }) => (properties.oid.maxLength = 300), [['oid', 'rule-changed']]],
    ['a narrower bound', ({ properties }) => (properties.oid.minLength = 2), [['oid', 'rule-changed']]],
    ['a removed bound', ({ properties }) => delete properties.oid.maxLength, [['oid', 'rule-changed']]],
    ['an added bound', ({ properties }) => (properties.note.maxLength = 9), [['note', 'rule-changed']]],
    ['another format', ({ properties }) => (properties.soldAt.format = 'date'), [['soldAt', 'rule-changed']]],
    ['another pattern', ({ properties }) => (properties.currency.pattern = '.'), [['currency', 'rule-changed']]],
    ['another forbidden value', ({ properties }) => (properties.note.not.enum = ['b']), [['note', 'rule-changed']]],
    [
      'another type of unknown fields',
      ({ properties }) => (properties.labels.additionalProperties = { type: 'integer' }),
      [['labels', 'rule-changed']],
    ],
    ['an added condition', (schema) => (schema.allOf = [{ then: { required: ['note'] } }]), [['', 'rule-changed']]],
    [
      'a removed field of a class that is nested in itself, reported once',
      ({ $defs }) => delete $defs.Item.properties.tier,
      [['items[].tier', 'field-removed']],
    ],
  ])('are found: %s', (_name, change, expected) => {
    expect(changesBy(change).sort()).toEqual(expected);
  });

  it.each<[string, (schema: Changeable) => void]>([
    ['an unchanged schema', () => undefined],
    ['an added optional field', ({ properties }) => (properties.plan = TEXT)],
    ['an added optional field of a nested class', ({ $defs }) => ($defs.Item.properties.plan = TEXT)],
    [
      'another title and description',
      (schema) => Object.assign(schema, { title: 'Sold', description: 'It was sold.' }),
    ],
    [
      'another order of values and of required fields',
      ({ properties, required }) => [properties.status.enum.reverse(), required.reverse()],
    ],
    [
      'another name of a nested class',
      (schema) => {
        schema.properties.items.items.$ref = '#/$defs/Line';
        schema.$defs.Item.properties.parts.items.$ref = '#/$defs/Line';
        rename(schema.$defs, 'Item', 'Line');
      },
    ],
  ])('are not found in %s', (_name, change) => {
    expect(changesBy(change)).toEqual([]);
  });

  it('include the presumed new name of a field that was renamed', () => {
    const present = copyOf(SALE);
    rename(present.properties, 'status', 'state');
    const [change] = breakingSchemaChanges(SALE, present);
    expect(change?.detail).toBe('it was removed; "state" looks like its new name');
  });
});
