import type { JsonSchema } from '@tandem/contracts';
import { referenceTo, schemaOf, type Schemas, schemasOf } from '../inbound-webhook/webhook-schemas';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';

/** The schemas of the `data` of all known types, by name, for the OpenAPI document. */
export const PAYMENT_SCHEMAS: Schemas = schemasOf(Object.values(PAYMENT_DATA));

/** Returns the schema of a webhook's body. @param onlyType the only type that the path accepts; by default, the path accepts all types */
export function paymentWebhookBody(onlyType?: keyof typeof PAYMENT_DATA): JsonSchema {
  if (onlyType !== undefined) return envelopeOf({ const: onlyType }, referenceTo(PAYMENT_DATA[onlyType]));
  const others = { type: 'string', minLength: 1, maxLength: 100, not: { enum: Object.keys(PAYMENT_DATA) } };
  return {
    oneOf: [
      ...Object.entries(PAYMENT_DATA).map(([type, data]) => envelopeOf({ const: type }, referenceTo(data))),
      {
        ...envelopeOf(others, { type: 'object' }),
        description: 'A webhook of another type: it is stored, and publishes nothing',
      },
    ],
  };
}

function envelopeOf(type: JsonSchema, data: JsonSchema): JsonSchema {
  const { properties, ...envelope } = schemaOf(PaymentEnvelope);
  return { ...envelope, properties: { ...(properties as object), type, data } };
}
