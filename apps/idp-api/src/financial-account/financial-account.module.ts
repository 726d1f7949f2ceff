import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { VendorModule } from '../array/vendor.module';
import { FinancialAccountController } from './financial-account.controller';
import { FinancialAccountService } from './financial-account.service';

@Module({
  imports: [EnrollmentModule, ProfileModule, VendorModule],
  controllers: [FinancialAccountController],
  providers: [FinancialAccountService],
  exports: [FinancialAccountService],
})
export class FinancialAccountModule {}
