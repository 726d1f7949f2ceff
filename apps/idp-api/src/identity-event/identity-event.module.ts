import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { IdentityEventConsumer } from './identity-event.consumer';
import { IdentityEventService } from './identity-event.service';

/** Handles the vendor's webhooks about users: alerts, enrollments and verifications. */
@Module({
  imports: [AlertModule, EnrollmentModule, ProfileModule],
  controllers: [IdentityEventConsumer],
  providers: [IdentityEventService],
})
export class IdentityEventModule {}
