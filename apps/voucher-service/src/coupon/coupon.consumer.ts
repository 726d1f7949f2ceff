import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, PaymentReceived } from '@tandem/contracts';
import { EventContext } from '@tandem/messaging';
import { RedemptionService } from './redemption.service';

@Controller()
export class CouponConsumer {
  constructor(private readonly redemptions: RedemptionService) {}

  @EventPattern(PAYMENT_RECEIVED.topic)
  async handle(@Payload() event: PaymentReceived, @Ctx() context: EventContext): Promise<void> {
    await this.redemptions.recordPayment(context.manager, event);
  }
}
