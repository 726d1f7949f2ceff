import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { MockModule } from '../mock/mock.module';
import { ProfileModule } from '../profile/profile.module';
import { VendorModule } from '../array/vendor.module';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordController } from './user-record.controller';
import { UserRecordService } from './user-record.service';

@Module({
  imports: [AlertModule, EnrollmentModule, MockModule, ProfileModule, VendorModule],
  controllers: [UserRecordController],
  providers: [UserRecordService, UserAtVendorService],
})
export class UserRecordModule {}
