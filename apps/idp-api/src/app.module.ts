import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { appOf } from '../../apps';
import { AlertModule } from './alert/alert.module';
import { ClientAuthenticationModule } from './client-authentication/client-authentication.module';
import type { IdpApiConfig } from './config';
import { EnrollmentModule } from './enrollment/enrollment.module';
import { IdentityEventModule } from './identity-event/identity-event.module';
import { MockRoutesModule } from './mock/mock.module';
import { StatusModule } from './status/status.module';
import { SupportModule } from './support/support.module';
import { UserModule } from './user/user.module';

@Module({})
export class AppModule {
  static register(config: IdpApiConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'idp-api' }),
        InternalApiModule.register(config, appOf('idp-api')),
        EventsModule.register(config, { app: 'idp-api' }),
        ClientAuthenticationModule,
        EnrollmentModule,
        IdentityEventModule,
        UserModule,
        AlertModule,
        StatusModule,
        SupportModule,
        ...(config.MOCK_ENABLED ? [MockRoutesModule] : []),
      ],
    };
  }
}
