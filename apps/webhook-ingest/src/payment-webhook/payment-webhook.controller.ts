import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { WebhookOf } from '../webhook-authentication/webhook.authenticator';
import { PAYMENT_WEBHOOK_PATH, PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook.paths';
import { PaymentWebhookService } from './payment-webhook.service';

/** The answer to a webhook that is stored. */
export interface WebhookReceived {
  received: true;
}

const DESCRIPTION =
  'Standard Webhooks headers (webhook-id, webhook-timestamp, webhook-signature), or a bearer service token with the scope ' +
  '`payments`. Answers 200 when the webhook is stored, also for one that was stored before.';
const ENVELOPE = {
  type: 'object',
  required: ['id', 'type', 'timestamp', 'data'],
  properties: {
    id: { type: 'string', maxLength: 255 },
    type: { type: 'string', example: 'subscription.purchased' },
    timestamp: { type: 'string', format: 'date-time' },
    data: { type: 'object' },
  },
};

/** Authenticated by WebhookAuthenticator before anything here runs; the body is the bytes that came. */
@ApiTags('payments')
@ApiBearerAuth()
@Controller()
export class PaymentWebhookController {
  constructor(private readonly webhooks: PaymentWebhookService) {}

  @Post(PAYMENT_WEBHOOK_PATH)
  @WebhookOf('payments')
  @HttpCode(200)
  @ApiOperation({ summary: 'Take a webhook of the billing provider', description: DESCRIPTION })
  @ApiBody({ schema: ENVELOPE })
  @ApiResponse({ status: 200, description: 'Stored' })
  receive(@Req() request: FastifyRequest): Promise<WebhookReceived> {
    return this.store(request, PAYMENT_WEBHOOK_PATH);
  }

  @Post(PLAN_CHANGE_WEBHOOK_PATH)
  @WebhookOf('payments')
  @HttpCode(200)
  @ApiOperation({ summary: 'Take a webhook of a changed plan', description: DESCRIPTION })
  @ApiBody({ schema: ENVELOPE })
  @ApiResponse({ status: 200, description: 'Stored' })
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
