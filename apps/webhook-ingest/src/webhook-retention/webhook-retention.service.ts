import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { WebhookIngestConfig } from '../config';

const DAY_MS = 86_400_000;

/** Registers the deletion of stored webhooks after their retention time, and of claims after their window. */
@Injectable()
export class WebhookRetentionService implements OnModuleInit {
  constructor(
    private readonly config: WebhookIngestConfig,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    const { WEBHOOK_RETENTION_DAYS, ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS } = this.config;
    this.retention.add({
      table: 'webhook_claim',
      column: 'claimed_at',
      keepMs: ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS * 1_000,
    });
    this.retention.add({
      table: 'inbound_webhook',
      column: 'received_at',
      keepMs: WEBHOOK_RETENTION_DAYS * DAY_MS,
    });
  }
}
