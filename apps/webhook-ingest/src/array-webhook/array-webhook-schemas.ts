import type { JsonSchema } from '@tandem/contracts';
import { referenceTo, schemaOf, type Schemas, schemasOf } from '../inbound-webhook/webhook-schemas';
import { AlertPushDetails, ArrayDetails, ArrayEnvelope, MonitoringDetails } from './array-webhook.dto';
import { AUTHENTICATION_EVENTS, MONITORING_METHODS, NUMERIC_TEXT } from './array-webhook.rules';

type Fields = Readonly<Record<string, JsonSchema>>;

/** Returns a schema that accepts the values of the given schema, and also strings that match NUMERIC_TEXT. */
const orText = (schema: JsonSchema): JsonSchema => ({
  anyOf: [schema, { type: 'string', pattern: NUMERIC_TEXT.source }],
});

const AUTHENTICATION_VALUES = [...AUTHENTICATION_EVENTS.keys()].flatMap((text) => [text, Number(text)]);

/** The webhooks from which events result: the fields that identify them, and the class of their `details`. */
const KNOWN: readonly { readonly when: Fields; readonly details: typeof ArrayDetails }[] = [
  {
    when: { service: { const: 'alerts' }, event: { const: 'push' }, method: { const: 'push' } },
    details: AlertPushDetails,
  },
  {
    when: { service: { const: 'monitoring' }, method: { enum: [...MONITORING_METHODS.keys()] } },
    details: MonitoringDetails,
  },
  { when: { service: { const: 'authentication' }, event: { enum: AUTHENTICATION_VALUES } }, details: ArrayDetails },
];

/** The schemas of all `details`, by name, for the OpenAPI document. */
export const ARRAY_SCHEMAS: Schemas = withTextOfAlertId(schemasOf([ArrayDetails, AlertPushDetails, MonitoringDetails]));

function withTextOfAlertId({ AlertPushDetails: details, ...others }: Schemas): Schemas {
  const { properties, ...rest } = details as { properties: Fields } & JsonSchema;
  const alertId = orText(properties['alertId'] as JsonSchema);
  return { ...others, AlertPushDetails: { ...rest, properties: { ...properties, alertId } } };
}

/** Returns the schema of a webhook's body. */
export function arrayWebhookBody(): JsonSchema {
  const conditions = KNOWN.map(({ when }) => ({ properties: when, required: Object.keys(when) }));
  return {
    oneOf: [
      ...KNOWN.map(({ when, details }) => envelopeWith({ ...when, details: referenceTo(details) })),
      {
        ...envelopeWith({ details: referenceTo(ArrayDetails) }),
        not: { anyOf: conditions },
        description: 'Any other webhook: it is stored, and publishes nothing',
      },
    ],
  };
}

function envelopeWith(fields: Fields): JsonSchema {
  const { properties, ...envelope } = schemaOf(ArrayEnvelope);
  const { event } = properties as Fields;
  return {
    ...envelope,
    properties: { ...(properties as Fields), event: { anyOf: [event, { type: 'integer' }] }, ...fields },
  };
}
