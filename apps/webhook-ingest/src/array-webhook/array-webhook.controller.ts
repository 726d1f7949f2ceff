import { Controller, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InboundWebhookService } from '../inbound-webhook/inbound-webhook.service';
import { receivedWebhook, type WebhookAnswer, WebhookOperation } from '../inbound-webhook/webhook-operation';
import { WebhookOf } from '../webhook-authentication/webhook.authenticator';
import { ARRAY_WEBHOOK_PATH } from './array-webhook.paths';
import { ArrayWebhookReader } from './array-webhook.reader';
import { arrayWebhookBody } from './array-webhook.schemas';

/** Authenticated by WebhookAuthenticator before anything here runs; the body is the bytes that came. */
@ApiTags('array')
@ApiBearerAuth()
@Controller()
export class ArrayWebhookController {
  constructor(
    private readonly webhooks: InboundWebhookService,
    private readonly reader: ArrayWebhookReader,
  ) {}

  @Post(ARRAY_WEBHOOK_PATH)
  @WebhookOf('array')
  @WebhookOperation({
    operationId: 'receiveArrayWebhook',
    summary: 'Take a webhook of the identity vendor',
    scope: 'webhook',
    body: arrayWebhookBody(),
  })
  async receive(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    await this.webhooks.receive(this.reader, receivedWebhook(request, ARRAY_WEBHOOK_PATH));
    return { received: true };
  }
}
