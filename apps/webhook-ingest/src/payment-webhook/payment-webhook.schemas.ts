import {
  DECIMAL_STRING,
  type JsonSchema,
  KRN,
  schemaOfClass,
  type SchemaConverters,
  type ValidatedClass,
} from '@tandem/contracts';
import { EMAIL, type FIELD_RULES } from '@tandem/service-defaults';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import type { OpenAPIObject } from '@nestjs/swagger';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';

type Schemas = Record<string, JsonSchema>;

/** What the rules of the fields mean as schemas. */
const CONVERTERS: Record<keyof typeof FIELD_RULES, SchemaConverters[string]> = {
  isText: ({ constraints }: ValidationMetadata) => ({
    type: 'string' as const,
    minLength: constraints[0] as number,
    maxLength: constraints[1] as number,
  }),
  isTimestamp: { type: 'string', format: 'date-time' },
  isDecimalString: { type: 'string', pattern: DECIMAL_STRING.source },
  isKrn: { type: 'string', pattern: KRN.source },
  isEmailAddress: { type: 'string', minLength: 3, maxLength: 254, pattern: EMAIL.source },
  isRecord: { type: 'object' },
};

const referenceTo = (name: string): string => `#/components/schemas/${name}`;

const inDocument = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', referenceTo(''))) as JsonSchema;

/** The schemas of all webhooks that are understood, by name: for the OpenAPI document. */
export const PAYMENT_SCHEMAS: Schemas = Object.assign({}, ...Object.values(PAYMENT_DATA).map(schemasOf)) as Schemas;

/** The body of a webhook on the path of any type, or of the one type that its path takes. */
export function webhookBody(onlyType?: keyof typeof PAYMENT_DATA): JsonSchema {
  const known = Object.entries(PAYMENT_DATA).filter(([type]) => onlyType === undefined || type === onlyType);
  const others = { type: 'string', minLength: 1, maxLength: 100, not: { enum: Object.keys(PAYMENT_DATA) } };
  return {
    oneOf: [
      ...known.map(([type, data]) => envelopeOf({ const: type }, { $ref: referenceTo(data.name) })),
      { ...envelopeOf(others, { type: 'object' }), description: 'Of another type: stored, and ignored' },
    ],
  };
}

/** Adds the schemas to a document that refers to them. */
export const withPaymentSchemas = (document: OpenAPIObject): OpenAPIObject => {
  const schemas = { ...document.components?.schemas, ...PAYMENT_SCHEMAS };
  return { ...document, components: { ...document.components, schemas } as OpenAPIObject['components'] };
};

function envelopeOf(type: JsonSchema, data: JsonSchema): JsonSchema {
  const { properties, ...envelope } = schemaOfClass(PaymentEnvelope, CONVERTERS);
  return { ...envelope, properties: { ...(properties as object), type, data } };
}

/** The schema of a class and of those nested in it. */
function schemasOf(type: ValidatedClass): Schemas {
  const { $defs, ...own } = inDocument(schemaOfClass(type, CONVERTERS)) as { $defs?: Schemas } & JsonSchema;
  const all = { [type.name]: own, ...$defs };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, withNulls(schema)]));
}

/** A field that may be left out may be null as well: the two mean the same. */
function withNulls({ properties, required = [], ...rest }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties as Schemas).map(([name, field]) => [
    name,
    (required as string[]).includes(name) ? field : { anyOf: [field, { type: 'null' }] },
  ]);
  return { ...rest, properties: Object.fromEntries(fields), required };
}
