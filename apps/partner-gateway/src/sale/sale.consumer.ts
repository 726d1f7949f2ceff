import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, type PaymentReceived } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { SaleService } from './sale.service';

@Controller()
export class SaleConsumer {
  constructor(private readonly sales: SaleService) {}

  @EventHandler(PAYMENT_RECEIVED)
  async handle(@Payload() events: ReceivedEvent<PaymentReceived>[], @Ctx() batch: EventBatch): Promise<void> {
    for (const event of events) await runInEvent(event, () => this.sales.recordPayment(batch.manager, event.data));
  }
}
