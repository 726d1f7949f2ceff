import { Module } from '@nestjs/common';
import { InboundWebhookRepository } from './inbound-webhook.repository';
import { InboundWebhookService } from './inbound-webhook.service';
import { InboundWebhookStore } from './inbound-webhook-store';

@Module({
  providers: [InboundWebhookService, InboundWebhookStore, InboundWebhookRepository],
  exports: [InboundWebhookService],
})
export class InboundWebhookModule {}
