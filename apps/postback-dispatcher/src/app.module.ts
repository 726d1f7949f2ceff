import { DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { appOf } from '../../apps';
import { AttentionModule } from './attention/attention.module';
import { PostbackDispatcherConfig } from './config';
import { DeadLetterModule } from './dead-letter/dead-letter.module';
import { DeliveryModule } from './delivery/delivery.module';
import { DeliveryLogModule } from './delivery-log/delivery-log.module';
import { DispatchModule } from './dispatch/dispatch.module';
import { connectionsBesideSending } from './dispatch/sending-database';
import { Endpoint } from './endpoint-store/endpoint.entity';
import { EndpointModule } from './endpoint/endpoint.module';
import { StatisticsModule } from './statistics/statistics.module';

@Module({})
export class AppModule {
  static register(config: PostbackDispatcherConfig): DynamicModule {
    const { DATABASE_URL, DATABASE_POOL_MAX } = config;
    const settings = { DATABASE_URL, DATABASE_POOL_MAX: connectionsBesideSending(DATABASE_POOL_MAX) };
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(settings, { applicationName: 'postback-dispatcher', entities: [Endpoint] }),
        InternalApiModule.register(config, appOf('postback-dispatcher')),
        EventsModule.register(config, {
          app: 'postback-dispatcher',
          tuning: { measureEveryMs: config.POSTBACK_MEASURE_MS },
        }),
        EndpointModule,
        DeliveryModule,
        DeliveryLogModule,
        DispatchModule,
        DeadLetterModule,
        AttentionModule,
        StatisticsModule,
      ],
    };
  }
}
