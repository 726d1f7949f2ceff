import { applyDecorators, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, type ApiBodyOptions, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { JsonSchema } from '@tandem/contracts';
import { DocumentFailures, PLAIN_FORMAT, ValidationFailedError } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import { ERRORS } from '../error-map';
import { UnauthorizedCallerError } from '../webhook-authentication/webhook-authentication.errors';
import { WebhookOf } from '../webhook-authentication/webhook.authenticator';
import { PAYMENT_WEBHOOK_PATH, PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook.paths';
import { webhookBody } from './payment-webhook.schemas';
import { PaymentWebhookService } from './payment-webhook.service';

/** The answer to a webhook that is stored. */
export interface WebhookReceived {
  received: true;
}

const DESCRIPTION =
  'Standard Webhooks headers (webhook-id, webhook-timestamp, webhook-signature), or a bearer service token with the scope ' +
  '`payments`. Answers 200 when the webhook is stored, also for one that was stored before.';
/** Describes an operation that takes a webhook. */
const WebhookOperation = (operationId: string, summary: string, schema: JsonSchema): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiOperation({ operationId, summary, description: DESCRIPTION }),
    ApiBody({ required: true, schema } as ApiBodyOptions),
    ApiResponse({
      status: 200,
      description: 'Stored',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['received'],
            properties: { received: { type: 'boolean', enum: [true] } },
          },
        },
      },
    }),
    DocumentFailures({
      failures: [new UnauthorizedCallerError('no_credentials'), new ValidationFailedError([])],
      body: true,
      errors: ERRORS,
      format: PLAIN_FORMAT,
    }),
  );

/** Authenticated by WebhookAuthenticator before anything here runs; the body is the bytes that came. */
@ApiTags('payments')
@ApiBearerAuth()
@Controller()
export class PaymentWebhookController {
  constructor(private readonly webhooks: PaymentWebhookService) {}

  @Post(PAYMENT_WEBHOOK_PATH)
  @WebhookOf('payments')
  @WebhookOperation('receivePaymentWebhook', 'Take a webhook of the billing provider', webhookBody())
  receive(@Req() request: FastifyRequest): Promise<WebhookReceived> {
    return this.store(request, PAYMENT_WEBHOOK_PATH);
  }

  @Post(PLAN_CHANGE_WEBHOOK_PATH)
  @WebhookOf('payments')
  @WebhookOperation('receivePlanChange', 'Take a webhook of a changed plan', webhookBody('subscription.plan_changed'))
  receivePlanChange(@Req() request: FastifyRequest): Promise<WebhookReceived> {
    return this.store(request, PLAN_CHANGE_WEBHOOK_PATH);
  }

  private async store(request: FastifyRequest, path: string): Promise<WebhookReceived> {
    const webhookId = request.headers['webhook-id'];
    await this.webhooks.receivePaymentWebhook({
      path,
      rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      webhookId: typeof webhookId === 'string' ? webhookId.slice(0, 255) : null,
      receivedAt: new Date(),
    });
    return { received: true };
  }
}
