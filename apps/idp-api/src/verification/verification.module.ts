import { Module } from '@nestjs/common';
import { VendorModule } from '../vendor/vendor.module';
import { VerificationMetrics } from './verification.metrics';
import { VerificationRepository } from './verification.repository';
import { VerificationRetention } from './verification.retention';
import { VerificationService } from './verification.service';

@Module({
  imports: [VendorModule],
  providers: [VerificationService, VerificationRepository, VerificationMetrics, VerificationRetention],
  exports: [VerificationRepository, VerificationService],
})
export class VerificationModule {}
