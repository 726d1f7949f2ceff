import { Module } from '@nestjs/common';
import { MockModule } from '../mock/mock.module';
import { ProfileModule } from '../profile/profile.module';
import { VendorModule } from '../array/vendor.module';
import { AlertController } from './alert.controller';
import { AlertRepository } from './alert.repository';
import { AlertService } from './alert.service';

@Module({
  imports: [MockModule, ProfileModule, VendorModule],
  controllers: [AlertController],
  providers: [AlertService, AlertRepository],
  exports: [AlertService, AlertRepository],
})
export class AlertModule {}
