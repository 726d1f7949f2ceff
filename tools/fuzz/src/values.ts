import fc, { type Arbitrary } from 'fast-check';
import { type OpenApiDocument, resolved, type Schema } from './document';

/**
 * Returns, for the name of a field or parameter, values that have a meaning in the running apps, such as ids of
 * existing rows.
 */
export type KnownValues = (name: string) => readonly string[];

const nameless: KnownValues = () => [];

const TEXT_LENGTHS = [255, 256, 512, 513, 1000, 1001, 5000];

/** JSON values that hardly any field accepts. */
const hostileJson: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e21, '', ' ', '\0', 'a\0b', '\ud800', '٣', [], {}),
  fc.constantFrom('2025-02-30T10:00:00Z', '2025-11-20', '+012025-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '-1', '1e3'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(...TEXT_LENGTHS).map((length) => 'x'.repeat(length)),
  fc.constantFrom(100, 101, 1001).map((length) => Array.from({ length }, () => 'x')),
  fc.jsonValue({ maxDepth: 2 }) as Arbitrary<unknown>,
);

/** Strings that hardly any parameter accepts. They contain no lone surrogates, which a URL cannot encode. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'null', 'undefined', '-1', '0', '1.5', '1e400', 'true', '[]', '😀', '%00', "'"),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(255, 256, 400).map((length) => 'x'.repeat(length)),
);

/** Generates values for the schemas of one document. */
export class Values {
  constructor(private readonly document: OpenApiDocument) {}

  /** Returns values that the schema allows. */
  fitting(schema: Schema, known: KnownValues = nameless, name = ''): Arbitrary<unknown> {
    const target = resolved(schema, this.document);
    const plain = this.fittingOf(target, known, name);
    const values = known(name);
    // Known values for the name of a list are values of its items, not whole lists.
    if (values.length === 0 || target.items) return plain;
    return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: plain });
  }

  /**
   * Returns values like those of the schema, but with fields that may be missing, null, of another type, out of range,
   * or unknown.
   */
  damaged(schema: Schema, known: KnownValues = nameless, name = ''): Arbitrary<unknown> {
    const { properties, items, oneOf, anyOf } = resolved(schema, this.document);
    const choices = oneOf ?? anyOf;
    let inner = this.fitting(schema, known, name);
    if (choices) inner = fc.oneof(...choices.map((choice) => this.damaged(choice, known, name)));
    else if (properties) inner = this.damagedObject(properties, known);
    else if (items) inner = fc.array(this.damaged(items, known, name), { maxLength: 3 });
    return fc.oneof({ weight: 6, arbitrary: inner }, { weight: 1, arbitrary: hostileJson });
  }

  /**
   * Returns values that the schema allows, except perhaps for one field. With a single fault, the answer shows whether this
   * field is refused.
   */
  damagedOnce(schema: Schema, known: KnownValues = nameless, name = ''): Arbitrary<unknown> {
    const target = resolved(schema, this.document);
    const choices = target.oneOf ?? target.anyOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.damagedOnce(choice, known, name)));
    if (!target.properties) return this.damaged(target, known, name);
    const whole = this.fittingOf(target, known, name) as Arbitrary<object>;
    const changes = Object.entries(target.properties).map(([field, inner]) => {
      const value = fc.oneof(this.damagedOnce(inner, known, field), hostileJson, fc.constant(undefined));
      return fc.tuple(whole, value).map(([object, damage]) => ({ ...object, [field]: damage }));
    });
    return changes.length === 0 ? whole : fc.oneof(...changes);
  }

  private damagedObject(properties: Readonly<Record<string, Schema>>, known: KnownValues): Arbitrary<unknown> {
    const fields = Object.entries(properties).map(([name, schema]) => [name, this.damaged(schema, known, name)]);
    const extra = fc.dictionary(fc.constantFrom('unknown', 'toString', 'id', 'data', ''), hostileJson, { maxKeys: 1 });
    return fc
      .tuple(fc.record(Object.fromEntries(fields) as Record<string, Arbitrary<unknown>>, { requiredKeys: [] }), extra)
      .map(([object, more]) => ({ ...more, ...object }));
  }

  private fittingOf(schema: Schema, known: KnownValues, name: string): Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.fitting(choice, known, name)));
    const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat();
    return fc.oneof(...types.map((type) => this.ofType(type, schema, known, name)));
  }

  private ofType(type: string, schema: Schema, known: KnownValues, name: string): Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -1_000_000, max: schema.maximum ?? 1_000_000 });
      case 'number':
        return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
      case 'array':
        return this.array(schema, known, name);
      case 'object':
        return this.object(schema, known);
      default:
        return text(schema);
    }
  }

  private array({ items = {}, minItems = 0, maxItems = 3, uniqueItems }: Schema, known: KnownValues, name: string) {
    const length = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
    const entry = this.fitting(items, known, name);
    return uniqueItems ? fc.uniqueArray(entry, length) : fc.array(entry, length);
  }

  private object({ properties = {}, required = [] }: Schema, known: KnownValues): Arbitrary<unknown> {
    const fields = Object.entries(properties).map(
      ([name, schema]) => [name, this.fitting(schema, known, name)] as [string, Arbitrary<unknown>],
    );
    const some = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
    if (required.length > 0 || fields.length < 2) return some;
    // Some operations accept exactly one of several optional fields, which the `properties` of a schema cannot express.
    const single = fc.oneof(...fields.map(([name, value]) => value.map((one) => ({ [name]: one }))));
    return fc.oneof<Arbitrary<unknown>[]>(some, single);
  }
}

const times = fc.date({
  min: new Date('2000-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
});

/** Returns strings that a schema allows. */
function text({ format, pattern, example, minLength = 0, maxLength = 2000 }: Schema): Arbitrary<string> {
  const fits = (one: string): boolean => [...one].length >= minLength && [...one].length <= maxLength;
  if (pattern !== undefined) {
    const matching = fc.stringMatching(new RegExp(pattern)).filter(fits);
    // A pattern often allows more than the app does, such as any three letters for a currency.
    return typeof example === 'string' ? fc.oneof(matching, fc.constant(example)) : matching;
  }
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return times.map((time) => time.toISOString());
  if (format === 'date') return times.map((time) => time.toISOString().slice(0, 10));
  if (format === 'email') return fc.emailAddress();
  // The host never resolves (RFC 6761), so no real server is contacted.
  if (format === 'uri')
    return fc
      .webPath()
      .map((path) => `https://nobody.invalid${path}`)
      .filter(fits);
  const length = { minLength, maxLength: Math.min(maxLength, minLength + 20) };
  return fc.oneof(
    { weight: 4, arbitrary: fc.string(length) },
    { weight: 1, arbitrary: fc.string({ ...length, unit: 'grapheme' }).filter(fits) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
  );
}
