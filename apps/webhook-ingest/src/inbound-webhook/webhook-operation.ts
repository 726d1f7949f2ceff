import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiBody, type ApiBodyOptions, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { JsonSchema } from '@tandem/contracts';
import { DocumentFailures, PLAIN_FORMAT, ValidationFailedError } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { ERRORS } from '../error-map';
import { UnauthorizedCallerError } from '../webhook-authentication/webhook-authentication.errors';
import type { ReceivedWebhook } from './integration';

/** The answer to a webhook that is stored. */
export interface WebhookAnswer {
  received: true;
}

interface OperationOptions {
  readonly operationId: string;
  readonly summary: string;
  /** What a bearer token needs instead of a signature. */
  readonly scope: string;
  readonly body: JsonSchema;
}

const ANSWER = {
  type: 'object',
  required: ['received'],
  properties: { received: { type: 'boolean', enum: [true] } },
};

/** Describes an operation that takes a webhook. */
export const WebhookOperation = ({ operationId, summary, scope, body }: OperationOptions): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiOperation({
      operationId,
      summary,
      description:
        'Standard Webhooks headers (webhook-id, webhook-timestamp, webhook-signature), or a bearer service token with the ' +
        `scope \`${scope}\`. Answers 200 when the webhook is stored, also for one that was stored before.`,
    }),
    ApiBody({ required: true, schema: body } as ApiBodyOptions),
    ApiResponse({ status: 200, description: 'Stored', content: { 'application/json': { schema: ANSWER as object } } }),
    DocumentFailures({
      failures: [new UnauthorizedCallerError('no_credentials'), new ValidationFailedError([])],
      body: true,
      errors: ERRORS,
      format: PLAIN_FORMAT,
    }),
  );

/** What came in a request that WebhookAuthenticator has let through: its body is the bytes that came. */
export function receivedWebhook({ headers, body }: FastifyRequest, path: string): ReceivedWebhook {
  const webhookId = headers['webhook-id'];
  return {
    path,
    rawBody: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    webhookId: typeof webhookId === 'string' ? webhookId.slice(0, 255) : null,
    receivedAt: new Date(),
  };
}
