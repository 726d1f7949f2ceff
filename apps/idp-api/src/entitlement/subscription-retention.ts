import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { FORGETTABLE } from './subscription.statements';

/**
 * Deletes subscriptions that have ended or were never paid, with their events, if no user holds a receipt for them. A subscription is not
 * deleted with the profile, because a paying customer who creates a new profile must be entitled again. After its end, a subscription is
 * kept for some time, because a refund, a renewal or a dispute may follow.
 */
@Injectable()
export class SubscriptionRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'subscription', column: 'forget_at', condition: FORGETTABLE, keepMs: 0 });
  }
}
