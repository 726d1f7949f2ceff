import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { UserLockModule } from '../user-lock/user-lock.module';
import { VendorModule } from '../vendor/vendor.module';
import { VerificationModule } from '../verification/verification.module';
import { UserChangeService } from './user-change.service';
import { UserCreationService } from './user-creation.service';
import { UserEnrollmentService } from './user-enrollment.service';
import { UserController } from './user.controller';
import { UserService, UserVendor } from './user.service';
import { VendorSync } from './vendor-sync';

@Module({
  imports: [EnrollmentModule, ProfileModule, UserLockModule, VendorModule, VerificationModule],
  controllers: [UserController],
  providers: [UserService, UserVendor, UserCreationService, UserChangeService, UserEnrollmentService, VendorSync],
  exports: [UserService],
})
export class UserModule {}
