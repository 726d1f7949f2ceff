import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { MockModule } from '../mock/mock.module';
import { ProfileModule } from '../profile/profile.module';
import { VendorModule } from '../array/vendor.module';
import { NeighborhoodWatchController } from './neighborhood-watch.controller';
import { NeighborhoodWatchService } from './neighborhood-watch.service';

@Module({
  imports: [AlertModule, EnrollmentModule, MockModule, ProfileModule, VendorModule],
  controllers: [NeighborhoodWatchController],
  providers: [NeighborhoodWatchService],
  exports: [NeighborhoodWatchService],
})
export class NeighborhoodWatchModule {}
