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

/** The internal API that `npm run ingest` uses. The edge never exposes this API. */
@ApiExcludeController()
@Controller('internal/webhooks')
export class WebhookRecordController {
  constructor(private readonly webhooks: WebhookRecordService) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'List webhooks', answer: {} })
  list(@Query() query: ListWebhooks): Promise<Page<WebhookSummary>> {
    return this.webhooks.list(query);
  }

  /** Shows a webhook. The id is a query parameter and not part of the path, because the billing provider's ids may contain any characters. */
  @Get('content')
  @Endpoint({ access: APPS, summary: 'Read the content of a webhook', answer: {} })
  show(@Query() query: ShowWebhook): Promise<WebhookContent> {
    return this.webhooks.show(query);
  }

  /** Replays webhooks. In this app, all bodies arrive as raw bytes, so this method parses the request's body itself. */
  @Post('replay')
  @Endpoint({ access: APPS, summary: 'Replay webhooks', answer: { status: 200 } })
  async replay(@Req() { body }: FastifyRequest): Promise<{ items: ReplayedWebhook[] }> {
    const { value } = readJsonBody(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    assertValid(ReplayWebhooks, value, '');
    return { items: await this.webhooks.replay(value as ReplayWebhooks) };
  }
}
