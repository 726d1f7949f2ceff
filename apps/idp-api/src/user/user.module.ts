import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { UserLockModule } from '../user-lock/user-lock.module';
import { VendorModule } from '../array/vendor.module';
import { AdmissionService } from './admission.service';
import { ChangeUserService } from './change-user.service';
import { CreateUserService } from './create-user.service';
import { DeleteUserService } from './delete-user.service';
import { EnrollUserService } from './enroll-user.service';
import { IssueTokenService } from './issue-token.service';
import { UnlockUserService } from './unlock-user.service';
import { UserController } from './user.controller';
import { VerificationService } from './verification.service';

@Module({
  imports: [EnrollmentModule, ProfileModule, UserLockModule, VendorModule],
  controllers: [UserController],
  providers: [
    AdmissionService,
    CreateUserService,
    ChangeUserService,
    DeleteUserService,
    EnrollUserService,
    IssueTokenService,
    UnlockUserService,
    VerificationService,
  ],
  exports: [ChangeUserService, DeleteUserService, EnrollUserService, UnlockUserService],
})
export class UserModule {}
