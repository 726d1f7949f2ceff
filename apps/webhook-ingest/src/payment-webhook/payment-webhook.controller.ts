import { Controller, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InboundWebhookService } from '../inbound-webhook/inbound-webhook.service';
import { receivedWebhook, type WebhookAnswer, WebhookOperation } from '../inbound-webhook/webhook-operation';
import { WebhookOf } from '../webhook-authentication/webhook.authenticator';
import { PAYMENT_WEBHOOK_PATH, PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook.paths';
import { PaymentWebhookReader } from './payment-webhook.reader';
import { paymentWebhookBody } from './payment-webhook.schemas';

/** Authenticated by WebhookAuthenticator before anything here runs; the body is the bytes that came. */
@ApiTags('payments')
@ApiBearerAuth()
@Controller()
export class PaymentWebhookController {
  constructor(
    private readonly webhooks: InboundWebhookService,
    private readonly reader: PaymentWebhookReader,
  ) {}

  @Post(PAYMENT_WEBHOOK_PATH)
  @WebhookOf('payments')
  @WebhookOperation({
    operationId: 'receivePaymentWebhook',
    summary: 'Take a webhook of the billing provider',
    scope: 'payments',
    body: paymentWebhookBody(),
  })
  receive(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    return this.store(request, PAYMENT_WEBHOOK_PATH);
  }

  @Post(PLAN_CHANGE_WEBHOOK_PATH)
  @WebhookOf('payments')
  @WebhookOperation({
    operationId: 'receivePlanChange',
    summary: 'Take a webhook of a changed plan',
    scope: 'payments',
    body: paymentWebhookBody('subscription.plan_changed'),
  })
  receivePlanChange(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    return this.store(request, PLAN_CHANGE_WEBHOOK_PATH);
  }

  private async store(request: FastifyRequest, path: string): Promise<WebhookAnswer> {
    await this.webhooks.receive(this.reader, receivedWebhook(request, path));
    return { received: true };
  }
}
