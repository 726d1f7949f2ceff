import { Module } from '@nestjs/common';
import { EntitlementService } from './entitlement.service';
import { SubscriptionRepository } from './subscription.repository';

@Module({
  providers: [EntitlementService, SubscriptionRepository],
  exports: [EntitlementService],
})
export class EnrollmentModule {}
