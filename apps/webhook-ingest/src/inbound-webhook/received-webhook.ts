import { ValidationFailedError } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import type { ReceivedWebhook } from './integration';

/** The answer to a webhook that is stored, by this request or by an earlier one. */
export interface WebhookAnswer {
  received: true;
}

/** What all webhook endpoints declare in the OpenAPI document: the answer, and the error of an invalid body. */
export const WEBHOOK = {
  answer: {
    status: 200,
    description: 'Stored',
    schema: {
      type: 'object',
      required: ['received'],
      properties: { received: { type: 'boolean', enum: [true] } },
    },
  },
  errors: [new ValidationFailedError([{ field: 'body', message: 'must be JSON' }])],
};

/** Returns the webhook of a request that WebhookAuthenticator has admitted. `rawBody` contains the body exactly as it was received. */
export function receivedWebhook({ headers, body }: FastifyRequest, path: string): ReceivedWebhook {
  const webhookId = headers['webhook-id'];
  return {
    path,
    rawBody: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    webhookId: typeof webhookId === 'string' ? webhookId.slice(0, 255) : null,
    receivedAt: new Date(),
  };
}
