import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, type PaymentReceived } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { mayConcernSales } from './payment.rules';
import { SaleService } from './sale.service';

@Controller()
export class SaleConsumer {
  constructor(private readonly sales: SaleService) {}

  @EventHandler(PAYMENT_RECEIVED, { mayConcern: mayConcernSales })
  async handle(@Payload() events: ReceivedEvent<PaymentReceived>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.sales.recordPayments(events, batch);
  }
}
