import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { DeliveryConsumer } from './delivery.consumer';
import { DeliveryRepository } from './delivery.repository';
import { DeliveryService } from './delivery.service';
import { PartitionRepository } from './partition.repository';
import { PartitionService } from './partition.service';

@Module({
  imports: [DispatchModule],
  controllers: [DeliveryConsumer],
  providers: [DeliveryService, DeliveryRepository, PartitionRepository, PartitionService],
})
export class DeliveryModule {}
