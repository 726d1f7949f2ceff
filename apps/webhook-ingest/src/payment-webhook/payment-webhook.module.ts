import { Module } from '@nestjs/common';
import { PaymentWebhookController } from './payment-webhook.controller';
import { PaymentWebhookRepository } from './payment-webhook.repository';
import { PaymentWebhookService } from './payment-webhook.service';
import { PaymentWebhookStore } from './payment-webhook.store';

@Module({
  controllers: [PaymentWebhookController],
  providers: [PaymentWebhookService, PaymentWebhookStore, PaymentWebhookRepository],
})
export class PaymentWebhookModule {}
