import { Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { InboundWebhookService } from '../inbound-webhook/inbound-webhook.service';
import { receivedWebhook, WEBHOOK, type WebhookAnswer } from '../inbound-webhook/received-webhook';
import { integration } from '../webhook-authentication/webhook.authenticator';
import { ARRAY_WEBHOOK_PATH } from './array-webhook-paths';
import { ArrayWebhookReader } from './array-webhook-reader';
import { arrayWebhookBody } from './array-webhook-schemas';

/**
 * Receives the vendor's webhooks. Before any method runs, WebhookAuthenticator has authenticated the request. The body, if there is one, is
 * a buffer with exactly the received bytes.
 */
@ApiTags('array')
@Controller()
export class ArrayWebhookController {
  constructor(
    private readonly webhooks: InboundWebhookService,
    private readonly reader: ArrayWebhookReader,
  ) {}

  @Post(ARRAY_WEBHOOK_PATH)
  @Endpoint({
    ...WEBHOOK,
    access: integration('array'),
    summary: 'Receive a webhook of the identity vendor',
    body: { schema: arrayWebhookBody() },
  })
  async receiveArrayWebhook(@Req() request: FastifyRequest): Promise<WebhookAnswer> {
    await this.webhooks.receive(this.reader, receivedWebhook(request, ARRAY_WEBHOOK_PATH));
    return { received: true };
  }
}
