/** The parts of a schema that examples are made from, in the form in which Nest writes them (OpenAPI 3.0). */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
}
export type Schemas = Record<string, Schema>;

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T12:00:00.000Z',
  date: '2026-03-01',
  uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
};

/**
 * Returns an example value of a schema: the schema's own example. If there is none, returns null if the schema allows null, otherwise a value with
 * the required fields.
 */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { example, nullable, allOf, $ref = allOf?.[0]?.$ref, type, format = '', items, properties } = schema;
  if (example !== undefined) return example;
  if (nullable) return null;
  if ($ref) return exampleOf(schemas[$ref.split('/').at(-1) as string] as Schema, schemas);
  if (schema.enum) return schema.enum[0];
  if (type === 'array') return [exampleOf(items as Schema, schemas)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (!properties) return BY_FORMAT[format] ?? 'text';
  const given = schema.required ?? [];
  return Object.fromEntries(given.map((name) => [name, exampleOf(properties[name] as Schema, schemas)]));
}
