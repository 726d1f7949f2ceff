import { Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceTokenGuard } from '@tandem/internal-api';
import type { Page } from '@tandem/http-api';
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

/** Internal: for `npm run ingest`. Never on the edge. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller('internal/webhooks')
export class WebhookRecordController {
  constructor(private readonly webhooks: WebhookRecordService) {}

  @Get()
  list(@Query() query: ListWebhooks): Promise<Page<WebhookSummary>> {
    return this.webhooks.list(query);
  }

  /** By query: an id of the provider's may have any characters. */
  @Get('content')
  show(@Query() query: ShowWebhook): Promise<WebhookContent> {
    return this.webhooks.show(query);
  }

  /** The body is bytes, as of every request to this app. */
  @Post('replay')
  @HttpCode(200)
  async replay(@Req() { body }: FastifyRequest): Promise<{ items: ReplayedWebhook[] }> {
    const { value } = readJsonBody(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    assertValid(ReplayWebhooks, value, '');
    return { items: await this.webhooks.replay(value as ReplayWebhooks) };
  }
}
