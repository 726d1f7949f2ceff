import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
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
        EventsModule.register(config, { app: 'idp-support' }),
        SupportAuthenticationModule,
        AuditModule,
        UserModule,
      ],
    };
  }
}
