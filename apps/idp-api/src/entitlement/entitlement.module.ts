import { Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module';
import { EntitlementService } from './entitlement.service';
import { SubscriptionRepository } from './subscription.repository';
import { SubscriptionRetention } from './subscription-retention';

/** Determines what users are entitled to. */
@Module({
  imports: [ProfileModule],
  providers: [EntitlementService, SubscriptionRepository, SubscriptionRetention],
  exports: [EntitlementService, SubscriptionRepository],
})
export class EntitlementModule {}
