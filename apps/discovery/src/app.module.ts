import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { ServiceModule } from '@tandem/service-defaults';
import { CatalogModule } from './catalog/catalog.module';
import { ClientAccessModule } from './client-access/client-access.module';
import type { DiscoveryConfig } from './config';
import { LocationModule } from './location/location.module';

@Module({})
export class AppModule {
  static register(config: DiscoveryConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'discovery' }),
        ClientAccessModule,
        CatalogModule,
        LocationModule,
      ],
    };
  }
}
