import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { SALE_COMPLETED, type SaleCompleted } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { DeliveryService } from './delivery.service';

@Controller()
export class DeliveryConsumer {
  constructor(private readonly service: DeliveryService) {}

  @EventHandler(SALE_COMPLETED)
  async handle(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.service.createDeliveries(events, batch);
  }
}
