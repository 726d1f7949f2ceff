import { Module } from '@nestjs/common';
import { PaymentWebhookController } from './payment-webhook.controller';
import { PaymentWebhookRepository } from './payment-webhook.repository';
import { PaymentWebhookService } from './payment-webhook.service';

@Module({ controllers: [PaymentWebhookController], providers: [PaymentWebhookService, PaymentWebhookRepository] })
export class PaymentWebhookModule {}
