import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { VendorModule } from '../array/vendor.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { MockModule } from '../mock/mock.module';
import { DashboardController } from './dashboard.controller';
import { DashboardService } from './dashboard.service';
import {
  CreditScoreController,
  FinancialAccountController,
  MonitorController,
  NeighborhoodWatchController,
  ScanController,
} from './status.controller';
import { StatusService } from './status.service';

@Module({
  imports: [AlertModule, EnrollmentModule, MockModule, VendorModule],
  controllers: [
    CreditScoreController,
    FinancialAccountController,
    MonitorController,
    NeighborhoodWatchController,
    ScanController,
    DashboardController,
  ],
  providers: [StatusService, DashboardService],
})
export class StatusModule {}
