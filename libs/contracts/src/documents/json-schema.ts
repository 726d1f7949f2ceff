import { type JsonSchema, schemaOfClass } from './class-schema';
import type { EventDefinition } from '../events/event-definition';
import { PAYMENT_RECEIVED } from '../events/payment-received';
import type { EventDescription, TopicTopology } from '../events/topology';

/**
 * The fields that are required for only one value of `type`, by topic and value. The conditions of `@ValidateIf` are
 * functions, which a schema cannot express, so the conditions are repeated here as data.
 */
const REQUIRED_BY_TYPE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [PAYMENT_RECEIVED.topic]: {
    'subscription.purchased': ['purchase'],
    'subscription.plan_changed': ['fromPlan'],
    'coupon.redeemed': ['couponHash', 'redeemedAt'],
  },
};

/** Returns the path of the schema of an event's data, relative to the package's root. */
export const schemaPathOf = (event: EventDefinition<object>): string => `schemas/${event.topic}.schema.json`;

/** Returns the fields of an event's data that are required for only one value of `type`. These fields are never null. */
export const conditionalFieldsOf = (event: EventDefinition<object>): readonly string[] =>
  Object.values(REQUIRED_BY_TYPE[event.topic] ?? {}).flat();

/**
 * Returns the JSON Schema of an event's data, derived from its class. The schema has no title and no description:
 * validators need neither.
 */
export function dataSchemaOf(event: EventDefinition<object>): JsonSchema {
  const { $defs, ...root } = schemaOfClass(event.data);
  return { ...root, ...requiredByType(event.topic), ...($defs === undefined ? {} : { $defs }) };
}

/** Returns the JSON Schema of an event's data, as it is published in `schemas/`. */
export const jsonSchemaOf = ({ event, summary }: TopicTopology & EventDescription): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:tandem:event:${event.topic}`,
  title: event.data.name,
  description: summary,
  ...dataSchemaOf(event),
});

function requiredByType(topic: string): JsonSchema {
  const rules = Object.entries(REQUIRED_BY_TYPE[topic] ?? {});
  if (rules.length === 0) return {};
  const allOf = rules.map(([type, required]) => ({
    if: { properties: { type: { const: type } } },
    then: { required },
  }));
  return { allOf };
}
