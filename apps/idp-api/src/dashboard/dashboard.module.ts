import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CreditScoreModule } from '../credit-score/credit-score.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { FinancialAccountModule } from '../financial-account/financial-account.module';
import { MonitorModule } from '../monitor/monitor.module';
import { NeighborhoodWatchModule } from '../neighborhood-watch/neighborhood-watch.module';
import { ProfileModule } from '../profile/profile.module';
import { ScanModule } from '../scan/scan.module';
import { DashboardController } from './dashboard.controller';
import { SECTION_SERVICES, sectionsOf } from './dashboard.sections';
import { DASHBOARD_SECTIONS, DashboardService } from './dashboard.service';

@Module({
  imports: [
    AlertModule,
    CreditScoreModule,
    EnrollmentModule,
    FinancialAccountModule,
    MonitorModule,
    NeighborhoodWatchModule,
    ProfileModule,
    ScanModule,
  ],
  controllers: [DashboardController],
  providers: [DashboardService, { provide: DASHBOARD_SECTIONS, inject: SECTION_SERVICES, useFactory: sectionsOf }],
})
export class DashboardModule {}
