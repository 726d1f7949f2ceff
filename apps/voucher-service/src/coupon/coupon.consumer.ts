import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, type PaymentReceived } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { RedemptionService } from './redemption.service';

@Controller()
export class CouponConsumer {
  constructor(private readonly redemptions: RedemptionService) {}

  @EventHandler(PAYMENT_RECEIVED, { mayConcern: (value) => value.includes('"couponCode"') })
  async handle(@Payload() events: ReceivedEvent<PaymentReceived>[], @Ctx() batch: EventBatch): Promise<void> {
    for (const event of events)
      await runInEvent(event, () => this.redemptions.recordPayment(batch.manager, event.data));
  }
}
