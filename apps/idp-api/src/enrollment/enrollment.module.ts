import { Module } from '@nestjs/common';
import { EntitlementModule } from '../entitlement/entitlement.module';
import { ProfileModule } from '../profile/profile.module';
import { UserLockModule } from '../user-lock/user-lock.module';
import { VendorModule } from '../array/vendor.module';
import { EnrollmentConsumer } from './enrollment.consumer';
import { EnrollmentRecordService } from './enrollment-record.service';
import { EnrollmentRepository } from './enrollment.repository';
import { EnrollmentService } from './enrollment.service';
import { EnrollmentSyncService } from './enrollment-sync.service';
import { Reconciler } from './reconciler';
import { ReconciliationMetrics } from './reconciliation.metrics';
import { ReconciliationRepository } from './reconciliation.repository';
import { ReconciliationWorker } from './reconciliation.worker';
import { StoredDataService } from './stored-data.service';

@Module({
  imports: [EntitlementModule, ProfileModule, UserLockModule, VendorModule],
  controllers: [EnrollmentConsumer],
  providers: [
    EnrollmentService,
    EnrollmentRepository,
    EnrollmentSyncService,
    EnrollmentRecordService,
    Reconciler,
    ReconciliationMetrics,
    ReconciliationRepository,
    ReconciliationWorker,
    StoredDataService,
  ],
  exports: [
    EntitlementModule,
    EnrollmentService,
    EnrollmentRecordService,
    Reconciler,
    ReconciliationRepository,
    ReconciliationWorker,
    StoredDataService,
  ],
})
export class EnrollmentModule {}
