import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { BacklogRepository } from './backlog.repository';
import { BacklogService } from './backlog.service';
import { ClosingRepository } from './closing.repository';
import { DeliveryConsumer } from './delivery.consumer';
import { DeliveryRepository } from './delivery.repository';
import { DeliveryService } from './delivery.service';
import { PartitionRepository } from './partition.repository';
import { PartitionService } from './partition.service';

@Module({
  imports: [DispatchModule],
  controllers: [DeliveryConsumer],
  providers: [
    BacklogRepository,
    BacklogService,
    ClosingRepository,
    DeliveryService,
    DeliveryRepository,
    PartitionRepository,
    PartitionService,
  ],
})
export class DeliveryModule {}
