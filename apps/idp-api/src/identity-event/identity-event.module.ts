import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { IdentityEventConsumer } from './identity-event.consumer';
import { IdentityEventService } from './identity-event.service';

/** Handles what the vendor reports about users on its own. */
@Module({
  imports: [AlertModule, EnrollmentModule, ProfileModule],
  controllers: [IdentityEventConsumer],
  providers: [IdentityEventService],
})
export class IdentityEventModule {}
