import { Module } from '@nestjs/common';
import { InboundWebhookModule } from '../inbound-webhook/inbound-webhook.module';
import { ArrayWebhookController } from './array-webhook.controller';
import { ArrayWebhookReader } from './array-webhook-reader';

@Module({
  imports: [InboundWebhookModule],
  controllers: [ArrayWebhookController],
  providers: [ArrayWebhookReader],
  exports: [ArrayWebhookReader],
})
export class ArrayWebhookModule {}
