import { DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { PostbackDispatcherConfig } from './config';
import { DeliveryModule } from './delivery/delivery.module';
import { DeliveryLogModule } from './delivery-log/delivery-log.module';
import { DispatchModule } from './dispatch/dispatch.module';
import { Endpoint } from './endpoint/endpoint.entity';
import { EndpointModule } from './endpoint/endpoint.module';

@Module({})
export class AppModule {
  static register(config: PostbackDispatcherConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register({
          url: config.DATABASE_URL,
          poolMax: config.DATABASE_POOL_MAX,
          applicationName: 'postback-dispatcher',
          entities: [Endpoint],
        }),
        InternalApiModule.register({ audience: 'postback-dispatcher', secrets: config.internalTokenSecrets }),
        EventsModule.register({
          app: 'postback-dispatcher',
          bus: config.EVENT_BUS,
          kafkaBrokers: config.kafkaBrokers,
          busUrl: config.BUS_DATABASE_URL ?? config.DATABASE_URL,
        }),
        EndpointModule,
        DeliveryModule,
        DeliveryLogModule,
        DispatchModule,
      ],
    };
  }
}
