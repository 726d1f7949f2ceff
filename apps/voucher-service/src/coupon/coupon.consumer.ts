import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { PAYMENT_RECEIVED, type PaymentReceived } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { RedemptionService } from './redemption.service';

@Controller()
export class CouponConsumer {
  constructor(private readonly redemptions: RedemptionService) {}

  /** Redeems the coupons to which payment events refer. Most payments have no coupon; their events are skipped before they are parsed. */
  @EventHandler(PAYMENT_RECEIVED, { mayConcern: (value) => value.includes('"coupon'), unhurried: true })
  async handle(@Payload() events: ReceivedEvent<PaymentReceived>[], @Ctx() batch: EventBatch): Promise<void> {
    const outcomes = await this.redemptions.recordPayments(batch.manager, events);
    batch.afterCommit(() => this.redemptions.log(outcomes));
  }
}
