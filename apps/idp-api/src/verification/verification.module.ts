import { Module } from '@nestjs/common';
import { VendorModule } from '../vendor/vendor.module';
import { VerificationRepository } from './verification.repository';
import { VerificationService } from './verification.service';

@Module({
  imports: [VendorModule],
  providers: [VerificationService, VerificationRepository],
  exports: [VerificationRepository, VerificationService],
})
export class VerificationModule {}
