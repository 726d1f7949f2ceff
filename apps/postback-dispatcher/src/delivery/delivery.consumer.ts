import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { SALE_COMPLETED, SaleCompleted } from '@tandem/contracts';
import { EventContext } from '@tandem/messaging';
import { DeliveryService } from './delivery.service';

@Controller()
export class DeliveryConsumer {
  constructor(private readonly service: DeliveryService) {}

  @EventPattern(SALE_COMPLETED.topic)
  async handle(@Payload() sale: SaleCompleted, @Ctx() context: EventContext): Promise<void> {
    await this.service.createDelivery(sale, context);
  }
}
