import { Module } from '@nestjs/common';
import { WebhookRetentionRepository } from './webhook-retention.repository';
import { WebhookRetentionService } from './webhook-retention.service';

@Module({ providers: [WebhookRetentionService, WebhookRetentionRepository] })
export class WebhookRetentionModule {}
