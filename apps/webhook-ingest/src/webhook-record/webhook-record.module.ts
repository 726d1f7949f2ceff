import { Module } from '@nestjs/common';
import { ArrayWebhookModule } from '../array-webhook/array-webhook.module';
import { PaymentWebhookModule } from '../payment-webhook/payment-webhook.module';
import { WebhookRecordController } from './webhook-record.controller';
import { WebhookRecordRepository } from './webhook-record.repository';
import { WebhookRecordService } from './webhook-record.service';

@Module({
  imports: [ArrayWebhookModule, PaymentWebhookModule],
  controllers: [WebhookRecordController],
  providers: [WebhookRecordService, WebhookRecordRepository],
})
export class WebhookRecordModule {}
