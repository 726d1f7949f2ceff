import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { SALE_COMPLETED, type SaleCompleted } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { DeliveryService } from './delivery.service';

@Controller()
export class DeliveryConsumer {
  constructor(private readonly service: DeliveryService) {}

  @EventHandler(SALE_COMPLETED)
  async handle(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch: EventBatch): Promise<void> {
    for (const event of events) await runInEvent(event, () => this.service.createDelivery(event, batch));
  }
}
