import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { ClientAuthenticationModule } from './client-authentication/client-authentication.module';
import type { IdpApiConfig } from './config';
import { EnrollmentModule } from './enrollment/enrollment.module';
import { UserModule } from './user/user.module';

@Module({})
export class AppModule {
  static register(config: IdpApiConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register({
          url: config.DATABASE_URL,
          poolMax: config.DATABASE_POOL_MAX,
          applicationName: 'idp-api',
        }),
        EventsModule.register({
          app: 'idp-api',
          bus: config.EVENT_BUS,
          kafkaBrokers: config.kafkaBrokers,
          busUrl: config.BUS_DATABASE_URL ?? config.DATABASE_URL,
        }),
        ClientAuthenticationModule,
        EnrollmentModule,
        UserModule,
      ],
    };
  }
}
