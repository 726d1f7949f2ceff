import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { VendorModule } from '../array/vendor.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { MockModule } from '../mock/mock.module';
import { ProfileModule } from '../profile/profile.module';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordService } from './user-record.service';
import { UserStoryService } from './user-story.service';

@Module({
  imports: [AlertModule, EnrollmentModule, MockModule, ProfileModule, VendorModule],
  providers: [UserRecordService, UserAtVendorService, UserStoryService],
  exports: [UserStoryService],
})
export class UserStoryModule {}
