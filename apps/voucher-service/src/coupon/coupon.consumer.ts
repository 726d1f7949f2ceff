import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, PaymentReceived } from '@tandem/contracts';
import { EventContext, wanting } from '@tandem/messaging';
import { redemptionOf } from './redemption.rules';
import { RedemptionService } from './redemption.service';

@Controller()
export class CouponConsumer {
  constructor(private readonly redemptions: RedemptionService) {}

  @EventPattern(PAYMENT_RECEIVED.topic, wanting((payment: PaymentReceived) => redemptionOf(payment) !== null))
  async handle(@Payload() event: PaymentReceived, @Ctx() context: EventContext): Promise<void> {
    await this.redemptions.recordPayment(context.manager, event);
  }
}
