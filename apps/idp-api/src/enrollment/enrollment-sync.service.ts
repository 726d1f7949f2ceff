import { Injectable } from '@nestjs/common';
import type { EnrollmentSync } from '@tandem/contracts';
import type { ReceivedEvent } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { EnrollmentRepository, type EnrollmentRequest } from './enrollment.repository';
import { ReconciliationRepository } from './reconciliation.repository';
import { type NewSubscriptionEvent, type SubscriptionOwner, SubscriptionRepository } from './subscription.repository';

type SyncEvent = Pick<ReceivedEvent<EnrollmentSync>, 'data' | 'occurredAt'>;

/** Keeps what is said of subscriptions, and has their users brought in line: the vendor is asked by the worker, never here. */
@Injectable()
export class EnrollmentSyncService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly enrollments: EnrollmentRepository,
    private readonly reconciliations: ReconciliationRepository,
  ) {}

  async record(manager: EntityManager, syncs: readonly SyncEvent[]): Promise<void> {
    const events = syncs.flatMap(({ data }) => subscriptionEventOf(data));
    const { owners, holders } = await this.subscriptions.add(manager, events);
    const named = syncs.flatMap(({ data }) => data.krn ?? []);
    const owning = owners.flatMap(({ krn, formerKrn }) => [krn ?? [], formerKrn ?? []].flat());
    const krns = new Set([...named, ...owning, ...holders]);
    const requests = requestsOf(syncs, owners);
    if (requests.length > 0) await this.enrollments.ask(manager, requests);
    if (krns.size > 0) await this.reconciliations.requestKnown(manager, krns);
  }
}

/** A purchase that is paid, and a sync by support, ask for all enrollments of the user anew. */
function requestsOf(syncs: readonly SyncEvent[], owners: readonly SubscriptionOwner[]): EnrollmentRequest[] {
  const ownerOf = new Map(owners.map(({ id, krn }) => [id, krn]));
  return syncs.flatMap(({ data: { krn, cause, subscription }, occurredAt }) => {
    if (cause === 'support') return krn ? [{ krn, at: new Date(occurredAt) }] : [];
    if (subscription?.type !== 'purchased' || subscription.paymentStatus !== 'captured') return [];
    const buyer = krn ?? ownerOf.get(subscription.subscriptionId);
    return buyer ? [{ krn: buyer, at: new Date(subscription.occurredAt) }] : [];
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
