import { Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { InboundWebhookService } from '../inbound-webhook/inbound-webhook.service';
import { receivedWebhook, WEBHOOK, type WebhookAnswer } from '../inbound-webhook/received-webhook';
import { integration } from '../webhook-authentication/webhook.authenticator';
import { PAYMENT_WEBHOOK_PATH, PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook-paths';
import { PaymentWebhookReader } from './payment-webhook-reader';
import { paymentWebhookBody } from './payment-webhook-schemas';

const SUBSCRIPTION_ID =
  'The `subscriptionId` of a purchase becomes the `oid` of its sale, and must not begin with `test_`: this prefix marks the samples of ' +
  '`POST /partner/postback/test`, for which partners book nothing.';

/**
 * Receives the billing provider's webhooks. Before any method runs, WebhookAuthenticator has authenticated the request. The body, if there
 * is one, is a buffer with exactly the received bytes.
 */
@ApiTags('payments')
@Controller()
export class PaymentWebhookController {
  constructor(
    private readonly webhooks: InboundWebhookService,
    private readonly reader: PaymentWebhookReader,
  ) {}

  @Post(PAYMENT_WEBHOOK_PATH)
  @Endpoint({
    ...WEBHOOK,
    access: integration('payments'),
    summary: 'Receive a webhook of the billing provider',
    description: SUBSCRIPTION_ID,
    body: { schema: paymentWebhookBody() },
  })
  receivePaymentWebhook(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    return this.store(request, PAYMENT_WEBHOOK_PATH);
  }

  @Post(PLAN_CHANGE_WEBHOOK_PATH)
  @Endpoint({
    ...WEBHOOK,
    access: integration('payments'),
    summary: 'Receive a webhook of a changed plan',
    body: { schema: paymentWebhookBody('subscription.plan_changed') },
  })
  receivePlanChange(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    return this.store(request, PLAN_CHANGE_WEBHOOK_PATH);
  }

  private async store(request: FastifyRequest, path: string): Promise<WebhookAnswer> {
    await this.webhooks.receive(this.reader, receivedWebhook(request, path));
    return { received: true };
  }
}
