import { type OpenApi, type Reference, resolved, type Schema } from './openapi';

/** The maximum depth of the fields in a list. Fields that are nested more deeply are left out. */
const DEEPEST = 6;

/** Returns the lines of a nested Markdown list with the fields of a schema. The result is empty if the schema has no fields. */
export function fieldsOf(document: OpenApi, schema: Schema | Reference, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  const { properties = {}, required = [], items, additionalProperties, oneOf } = merged(document, schema);
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name);
    return [
      `${'  '.repeat(depth)}- ${fieldLine(document, name, field, isRequired)}`,
      ...fieldsOf(document, field, depth + 1),
    ];
  });
  const inner = [
    ...(items ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(oneOf ?? []),
  ].flatMap((one) => fieldsOf(document, one, depth));
  return [...own, ...inner];
}

/** Returns the text for a field or parameter: its name, type, limits and meaning. */
export function fieldLine(document: OpenApi, name: string, field: Schema | Reference, isRequired: boolean): string {
  const schema = merged(document, field);
  const facts = [typeOf(document, field), ...(isRequired ? ['required'] : []), ...limitsOf(schema)];
  const description = schema.description === undefined ? '' : `: ${oneLine(schema.description)}`;
  return `\`${name}\` (${facts.join(', ')})${description}`;
}

/** Joins the lines and paragraphs of a Markdown text into one line, for use in a list or a table. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

function typeOf(document: OpenApi, field: Schema | Reference): string {
  const { type, format, items, oneOf, enum: values } = merged(document, field);
  if (values) return values.map((value) => (value === null ? 'null' : `\`${String(value)}\``)).join(' or ');
  if (oneOf) return oneOf.map((one) => typeOf(document, one)).join(' or ');
  const names = [type ?? 'object'].flat();
  return names
    .map((one) =>
      one === 'array' && items
        ? `list of ${typeOf(document, items)}`
        : (format ?? '') && one === 'string'
          ? `${format} string`
          : one,
    )
    .join(' or ');
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(pattern === undefined ? [] : [`matches \`${pattern}\``]),
    ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

/** Returns a schema with its reference resolved and the parts of its `allOf` combined. */
function merged(document: OpenApi, value: Schema | Reference): Schema {
  const { allOf, ...rest } = resolved(document, value);
  if (!allOf) return rest;
  const parts = [...allOf.map((part) => merged(document, part)), rest];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}
