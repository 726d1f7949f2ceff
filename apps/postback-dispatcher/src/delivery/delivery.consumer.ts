import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { SALE_CLOSED, SALE_COMPLETED, type SaleClosed, type SaleCompleted } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { DeliveryService } from './delivery.service';

@Controller()
export class DeliveryConsumer {
  constructor(private readonly service: DeliveryService) {}

  @EventHandler(SALE_COMPLETED, { oneStatement: true })
  async handleCompleted(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.service.createDeliveries(events, batch);
  }

  @EventHandler(SALE_CLOSED)
  async handleClosed(@Payload() events: ReceivedEvent<SaleClosed>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.service.closeSales(events, batch);
  }
}
