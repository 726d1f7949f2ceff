import { Module } from '@nestjs/common';
import { InboundWebhookModule } from '../inbound-webhook/inbound-webhook.module';
import { PaymentWebhookController } from './payment-webhook.controller';
import { PaymentWebhookReader } from './payment-webhook-reader';

@Module({
  imports: [InboundWebhookModule],
  controllers: [PaymentWebhookController],
  providers: [PaymentWebhookReader],
  exports: [PaymentWebhookReader],
})
export class PaymentWebhookModule {}
