import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { FORGETTABLE } from './subscription.repository';

/**
 * Deletes subscriptions that are over, with their events. Subscriptions outlive the profile, because a paying customer who creates a new
 * profile must be entitled again. After their end they are kept for some time, in case of a refund, a renewal or a dispute.
 */
@Injectable()
export class SubscriptionRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'subscription', column: 'forget_at', condition: FORGETTABLE, keepMs: 0 });
  }
}
