import { Injectable } from '@nestjs/common';
import type { EnrollmentSync } from '@tandem/contracts';
import type { ReceivedEvent } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Ask } from './enrollment.rules';
import { ReconciliationRepository } from './reconciliation.repository';
import {
  type NewSubscriptionEvent,
  type SubscriptionOwner,
  SubscriptionRepository,
} from '../entitlement/subscription.repository';

type SyncEvent = Pick<ReceivedEvent<EnrollmentSync>, 'data'>;

/**
 * Stores what billing reports about subscriptions, and then queues these users for reconciliation:
 * - the current and previous users of the subscriptions
 * - the users who hold receipts for the subscriptions
 * - the users whom the events name, such as the user of a sync by support
 *
 * Users who have no profile and are not queued are skipped. This service does not call the vendor: the worker does.
 */
@Injectable()
export class EnrollmentSyncService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly reconciliations: ReconciliationRepository,
  ) {}

  async record(manager: EntityManager, syncs: readonly SyncEvent[]): Promise<void> {
    const events = syncs.flatMap(({ data }) => subscriptionEventOf(data));
    const { owners, holders, purchased } = await this.subscriptions.add(manager, events);
    const named = syncs.flatMap(({ data }) => data.krn ?? []);
    const owning = owners.flatMap(({ krn, formerKrn }) => [krn ?? [], formerKrn ?? []].flat());
    const asking = askingOf(syncs, owners, new Set(purchased));
    const asks = new Map<string, Ask | null>([...named, ...owning, ...holders].map((krn) => [krn, null]));
    for (const krn of asking) asks.set(krn, 'sync');
    if (asks.size > 0) await this.reconciliations.requestKnown(manager, asks);
  }
}

/**
 * Returns the users for whom a captured purchase or a sync by support requests all granted enrollments, including those that the vendor has
 * ended. A purchase that was already stored requests nothing.
 *
 * @param purchased the subscriptions to which a captured purchase was added
 */
function askingOf(
  syncs: readonly SyncEvent[],
  owners: readonly SubscriptionOwner[],
  purchased: ReadonlySet<string>,
): string[] {
  const ownerOf = new Map(owners.map(({ id, krn }) => [id, krn]));
  return syncs.flatMap(({ data: { krn, cause, subscription } }) => {
    if (cause === 'support') return krn ?? [];
    if (subscription?.type !== 'purchased' || subscription.paymentStatus !== 'captured') return [];
    if (!purchased.has(subscription.subscriptionId)) return [];
    return krn ?? ownerOf.get(subscription.subscriptionId) ?? [];
  });
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
