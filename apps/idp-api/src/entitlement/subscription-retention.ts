import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { FORGETTABLE } from './subscription.repository';

/**
 * Has subscriptions that are over deleted, with their events. They outlive the profile, because a customer who pays is entitled again with
 * a new one; after their end they stay for a refund, a renewal or a dispute.
 */
@Injectable()
export class SubscriptionRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'subscription', column: 'forget_at', condition: FORGETTABLE, keepMs: 0 });
  }
}
