import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { MockModule } from '../mock/mock.module';
import { ProfileModule } from '../profile/profile.module';
import { VendorModule } from '../array/vendor.module';
import { ScanController } from './scan.controller';
import { ScanService } from './scan.service';

@Module({
  imports: [EnrollmentModule, MockModule, ProfileModule, VendorModule],
  controllers: [ScanController],
  providers: [ScanService],
  exports: [ScanService],
})
export class ScanModule {}
