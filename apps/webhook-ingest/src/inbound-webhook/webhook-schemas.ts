import {
  DECIMAL_STRING,
  type JsonSchema,
  KRN,
  schemaOfClass,
  type SchemaConverters,
  type ValidatedClass,
} from '@tandem/contracts';
import { type FIELD_RULES, REPORTED_EMAIL } from '@tandem/http-api';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

export type Schemas = Record<string, JsonSchema>;

/** How each validation rule of FIELD_RULES (libs/http-api) is expressed in a JSON schema. */
const CONVERTERS: Record<keyof typeof FIELD_RULES, SchemaConverters[string]> = {
  isText: ({ constraints }: ValidationMetadata) => ({
    type: 'string' as const,
    minLength: constraints[0] as number,
    maxLength: constraints[1] as number,
  }),
  isTimestamp: { type: 'string', format: 'date-time' },
  isDecimalString: { type: 'string', pattern: DECIMAL_STRING.source },
  isKrn: { type: 'string', pattern: KRN.source },
  isReportedEmail: { type: 'string', minLength: 3, maxLength: 254, pattern: REPORTED_EMAIL.source },
  isRecord: { type: 'object' },
};

const pathOf = (name: string): string => `#/components/schemas/${name}`;

const inDocument = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', pathOf(''))) as JsonSchema;

/** Returns a reference to the schema of a class in the OpenAPI document. */
export const referenceTo = ({ name }: ValidatedClass): JsonSchema => ({ $ref: pathOf(name) });

/** Returns the schema of a class that has no nested classes. */
export const schemaOf = (type: ValidatedClass): JsonSchema => withNulls(schemaOfClass(type, CONVERTERS));

/** Returns the schemas of classes, and of the classes that are nested in them, by name. */
export const schemasOf = (types: readonly ValidatedClass[]): Schemas =>
  Object.assign({}, ...types.map(schemasOfOne)) as Schemas;

function schemasOfOne(type: ValidatedClass): Schemas {
  const { $defs, ...own } = inDocument(schemaOfClass(type, CONVERTERS)) as { $defs?: Schemas } & JsonSchema;
  const all = { [type.name]: own, ...$defs };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, withNulls(schema)]));
}

/** Lets every optional field also be null, which means the same as leaving it out. */
function withNulls({ properties, required = [], ...rest }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties as Schemas).map(([name, field]) => [
    name,
    (required as string[]).includes(name) ? field : { anyOf: [field, { type: 'null' }] },
  ]);
  return { ...rest, properties: Object.fromEntries(fields), required };
}

/** Adds schemas to an OpenAPI document that refers to them. */
export const withSchemas = (document: OpenAPIObject, added: Schemas): OpenAPIObject => {
  const schemas = { ...document.components?.schemas, ...added };
  return { ...document, components: { ...document.components, schemas } as OpenAPIObject['components'] };
};
