import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { AlertModule } from './alert/alert.module';
import { ClientAuthenticationModule } from './client-authentication/client-authentication.module';
import type { IdpApiConfig } from './config';
import { CreditScoreModule } from './credit-score/credit-score.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { EnrollmentModule } from './enrollment/enrollment.module';
import { FinancialAccountModule } from './financial-account/financial-account.module';
import { IdentityEventModule } from './identity-event/identity-event.module';
import { MockRoutesModule } from './mock/mock.module';
import { MonitorModule } from './monitor/monitor.module';
import { NeighborhoodWatchModule } from './neighborhood-watch/neighborhood-watch.module';
import { ScanModule } from './scan/scan.module';
import { SupportModule } from './support/support.module';
import { UserModule } from './user/user.module';
import { UserRecordModule } from './user-record/user-record.module';

@Module({})
export class AppModule {
  static register(config: IdpApiConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'idp-api' }),
        InternalApiModule.register(config, 'idp-api'),
        EventsModule.register(config, { app: 'idp-api' }),
        ClientAuthenticationModule,
        EnrollmentModule,
        IdentityEventModule,
        UserModule,
        AlertModule,
        CreditScoreModule,
        FinancialAccountModule,
        MonitorModule,
        NeighborhoodWatchModule,
        ScanModule,
        DashboardModule,
        UserRecordModule,
        SupportModule,
        ...(config.MOCK_ENABLED ? [MockRoutesModule] : []),
      ],
    };
  }
}
