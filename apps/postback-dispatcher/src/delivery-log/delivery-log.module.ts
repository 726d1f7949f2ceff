import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { PostbackDispatcherConfig } from '../config';
import { DispatchModule } from '../dispatch/dispatch.module';
import { EndpointStoreModule } from '../endpoint-store/endpoint-store.module';
import { DeliveryCursors } from './delivery-cursor';
import { DeliveryLogController } from './delivery-log.controller';
import { DeliveryLogRepository } from './delivery-log.repository';
import { DeliveryLogService } from './delivery-log.service';
import { PostbackRequestRepository } from './postback-request.repository';
import { PostbackRequestService } from './postback-request.service';
import { ReplayRepository } from './replay.repository';
import { ReplayService } from './replay.service';
import { TestSendService } from './test-send.service';

@Module({
  imports: [AttemptModule, DispatchModule, EndpointStoreModule],
  controllers: [DeliveryLogController],
  providers: [
    DeliveryLogService,
    DeliveryLogRepository,
    PostbackRequestService,
    PostbackRequestRepository,
    ReplayService,
    ReplayRepository,
    TestSendService,
    {
      provide: DeliveryCursors,
      inject: [PostbackDispatcherConfig],
      useFactory: (config: PostbackDispatcherConfig) => new DeliveryCursors(config.CURSOR_SIGNING_KEYS),
    },
  ],
})
export class DeliveryLogModule {}
