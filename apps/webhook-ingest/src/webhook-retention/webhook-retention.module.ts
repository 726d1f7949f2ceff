import { Module } from '@nestjs/common';
import { WebhookRetentionService } from './webhook-retention.service';

@Module({ providers: [WebhookRetentionService] })
export class WebhookRetentionModule {}
