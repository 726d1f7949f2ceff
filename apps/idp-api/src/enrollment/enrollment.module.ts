import { Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module';
import { UserLockModule } from '../user-lock/user-lock.module';
import { VendorModule } from '../vendor/vendor.module';
import { EnrollmentConsumer } from './enrollment.consumer';
import { EnrollmentRecordService } from './enrollment-record.service';
import { EnrollmentRepository } from './enrollment.repository';
import { EnrollmentService } from './enrollment.service';
import { EnrollmentSyncService } from './enrollment-sync.service';
import { EntitlementService } from './entitlement.service';
import { ReconciliationMetrics } from './reconciliation.metrics';
import { ReconciliationRepository } from './reconciliation.repository';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationWorker } from './reconciliation.worker';
import { SubscriptionRepository } from './subscription.repository';
import { SubscriptionRetention } from './subscription.retention';
import { VendorReportService } from './vendor-report.service';

@Module({
  imports: [ProfileModule, UserLockModule, VendorModule],
  controllers: [EnrollmentConsumer],
  providers: [
    EntitlementService,
    SubscriptionRepository,
    SubscriptionRetention,
    EnrollmentService,
    EnrollmentRepository,
    EnrollmentSyncService,
    EnrollmentRecordService,
    ReconciliationService,
    ReconciliationMetrics,
    ReconciliationRepository,
    ReconciliationWorker,
    VendorReportService,
  ],
  exports: [
    EntitlementService,
    EnrollmentService,
    EnrollmentRecordService,
    ReconciliationService,
    ReconciliationRepository,
    ReconciliationWorker,
    VendorReportService,
  ],
})
export class EnrollmentModule {}
