import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { AuditEntry } from './audit/audit.entity';
import { AuditModule } from './audit/audit.module';
import type { IdpSupportConfig } from './config';
import { SupportAuthenticationModule } from './support-authentication/support-authentication.module';
import { UserModule } from './user/user.module';

@Module({})
export class AppModule {
  static register(config: IdpSupportConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'idp-support', entities: [AuditEntry] }),
        InternalApiModule.register(config, 'idp-support'),
        EventsModule.register(config, { app: 'idp-support' }),
        SupportAuthenticationModule,
        AuditModule,
        UserModule,
      ],
    };
  }
}
