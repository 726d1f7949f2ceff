import { Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { APPS } from '@tandem/internal-api';
import { Endpoint, type Page } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { assertValid, readJsonBody } from '../inbound-webhook/webhook-body';
import {
  ListWebhooks,
  type ReplayedWebhook,
  ReplayWebhooks,
  ShowWebhook,
  type WebhookContent,
  type WebhookSummary,
} from './webhook-record.dto';
import { WebhookRecordService } from './webhook-record.service';

/** Internal API for `npm run ingest`. The edge never exposes it. */
@ApiExcludeController()
@Controller('internal/webhooks')
export class WebhookRecordController {
  constructor(private readonly webhooks: WebhookRecordService) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'List webhooks', answer: {} })
  list(@Query() query: ListWebhooks): Promise<Page<WebhookSummary>> {
    return this.webhooks.list(query);
  }

  /** The id is a query parameter, because ids of the provider may contain any characters. */
  @Get('content')
  @Endpoint({ access: APPS, summary: 'Read the content of a webhook', answer: {} })
  show(@Query() query: ShowWebhook): Promise<WebhookContent> {
    return this.webhooks.show(query);
  }

  /** The body arrives as raw bytes, as in every request to this app, so it is parsed here. */
  @Post('replay')
  @Endpoint({ access: APPS, summary: 'Replay webhooks', answer: { status: 200 } })
  async replay(@Req() { body }: FastifyRequest): Promise<{ items: ReplayedWebhook[] }> {
    const { value } = readJsonBody(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    assertValid(ReplayWebhooks, value, '');
    return { items: await this.webhooks.replay(value as ReplayWebhooks) };
  }
}
