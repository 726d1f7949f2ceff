import { Injectable } from '@nestjs/common';
import type { EnrollmentSync } from '@tandem/contracts';
import type { EntityManager } from 'typeorm';
import { ReconciliationRepository } from './reconciliation.repository';
import { type NewSubscriptionEvent, SubscriptionRepository } from './subscription.repository';

/** Keeps what is said of subscriptions, and has their users brought in line: the vendor is asked by the worker, never here. */
@Injectable()
export class EnrollmentSyncService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly reconciliations: ReconciliationRepository,
  ) {}

  async record(manager: EntityManager, syncs: readonly EnrollmentSync[]): Promise<void> {
    const events = syncs.flatMap(subscriptionEventOf);
    const owners = events.length > 0 ? await this.subscriptions.add(manager, events) : [];
    const krns = new Set([...owners, ...syncs.flatMap(({ krn }) => krn ?? [])]);
    if (krns.size > 0) await this.reconciliations.requestKnown(manager, krns);
  }
}

function subscriptionEventOf({ krn, subscription }: EnrollmentSync): NewSubscriptionEvent[] {
  if (!subscription) return [];
  const { subscriptionId, type, occurredAt, effectiveAt, entitlements, paymentStatus } = subscription;
  return [
    {
      subscriptionId,
      krn: krn ?? null,
      type,
      occurredAt: new Date(occurredAt),
      effectiveAt: effectiveAt ? new Date(effectiveAt) : null,
      entitlements: entitlements ?? null,
      paymentStatus: paymentStatus ?? null,
    },
  ];
}
