import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, PaymentReceived } from '@tandem/contracts';
import { EventContext } from '@tandem/messaging';
import { SaleService } from './sale.service';

@Controller()
export class SaleConsumer {
  constructor(private readonly sales: SaleService) {}

  @EventPattern(PAYMENT_RECEIVED.topic)
  async handle(@Payload() event: PaymentReceived, @Ctx() context: EventContext): Promise<void> {
    await this.sales.recordPayment(context.manager, event);
  }
}
