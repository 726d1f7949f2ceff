import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { IS_ISO8601 } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import type { EventDefinition } from '../events/event-definition';
import { PAYMENT_RECEIVED } from '../events/payment-received';
import { descriptionOf } from './descriptions';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

const DEFS = '#/$defs/';

/** What a class says by `@ValidateIf`, which is a function and cannot be read: required when the type is one of these. */
const REQUIRED_BY_TYPE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [PAYMENT_RECEIVED.topic]: {
    'subscription.purchased': ['purchase'],
    'subscription.plan_changed': ['fromPlan'],
    'coupon.redeemed': ['couponCode', 'redeemedAt'],
  },
};

/** Where the schema of an event's data is, from the package's root. */
export const schemaPathOf = (event: EventDefinition<object>): string => `schemas/${event.topic}.schema.json`;

/** The JSON Schema of an event's data, from its class. */
export function jsonSchemaOf(event: EventDefinition<object>): JsonSchema {
  const schemas = validationMetadatasToSchemas({
    refPointerPrefix: DEFS,
    classTransformerMetadataStorage: defaultMetadataStorage,
    additionalConverters: { [IS_ISO8601]: { type: 'string', format: 'date-time' } },
  }) as Record<string, JsonSchema>;
  const root = schemas[event.data.name];
  if (!root) throw new Error(`The class of ${event.topic} has no validators`);
  const definitions = referencedFrom(root, schemas);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:tandem:event:${event.topic}`,
    title: event.data.name,
    description: descriptionOf(event.topic).summary,
    ...sorted(root),
    ...requiredByType(event.topic),
    ...(definitions.size > 0 ? { $defs: Object.fromEntries([...definitions].sort(byName)) } : {}),
  };
}

function requiredByType(topic: string): JsonSchema {
  const rules = Object.entries(REQUIRED_BY_TYPE[topic] ?? {});
  if (rules.length === 0) return {};
  const allOf = rules.map(([type, required]) => ({
    if: { properties: { type: { const: type } } },
    then: { required },
  }));
  return { allOf };
}

/** The nested classes, and theirs. */
function referencedFrom(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
  found = new Map<string, JsonSchema>(),
): Map<string, JsonSchema> {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([A-Za-z0-9]+)"/g)) {
    const nested = schemas[name as string];
    if (!nested) throw new Error(`The nested class ${name} has no validators`);
    if (found.has(name as string)) continue;
    found.set(name as string, sorted(nested));
    referencedFrom(nested, schemas, found);
  }
  return found;
}

/** Decorators are kept in an order that says nothing: without this each edit of a class would stir its whole schema. */
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
