import { Module } from '@nestjs/common';
import { PaymentEventRetentionRepository } from './payment-event-retention.repository';
import { PaymentEventRetentionService } from './payment-event-retention.service';

@Module({ providers: [PaymentEventRetentionService, PaymentEventRetentionRepository] })
export class PaymentEventRetentionModule {}
