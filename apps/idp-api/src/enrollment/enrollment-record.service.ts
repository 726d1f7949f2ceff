import { Injectable } from '@nestjs/common';
import type { IdentityUser } from '@tandem/internal-api';
import { EnrollmentRepository } from './enrollment.repository';
import { ReconciliationRepository } from './reconciliation.repository';
import { eventsBySubscription, SubscriptionRepository } from '../entitlement/subscription.repository';
import {
  entitlementsAt,
  isLive,
  plannedChange,
  type SubscriptionEvent,
  subscriptionOf,
} from '../entitlement/subscription.rules';

type EnrollmentRecord = Pick<IdentityUser, 'subscriptions' | 'entitlements' | 'enrollments' | 'reconciliation'>;

/** Reads what is stored about a user's subscriptions and enrollments, and their reconciliation with the vendor. */
@Injectable()
export class EnrollmentRecordService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly enrollments: EnrollmentRepository,
    private readonly reconciliations: ReconciliationRepository,
  ) {}

  async get(krn: string, hasProfile: boolean): Promise<EnrollmentRecord> {
    const now = new Date();
    const [stored, enrollments, reconciliation] = await Promise.all([
      this.subscriptions.findOfUser(krn),
      this.listEnrollments(krn),
      this.findReconciliation(krn, hasProfile),
    ]);
    const subscriptions = [...eventsBySubscription(stored)].map(([id, ofOne]) => subscriptionView(id, ofOne, now));
    const entitlements = [...new Set(subscriptions.flatMap((subscription) => subscription.entitlements))];
    return { subscriptions, entitlements, enrollments, reconciliation };
  }

  private async listEnrollments(krn: string): Promise<IdentityUser['enrollments']> {
    const [all, history] = await Promise.all([this.enrollments.findAll(krn), this.enrollments.findHistory(krn)]);
    return all.map(({ code, wanted, active, reason, activatedAt }) => ({
      code,
      wanted,
      active,
      reason,
      activatedAt: isoOf(activatedAt),
      history: history
        .filter((entry) => entry.code === code)
        .map(({ status, reason, at }) => ({ status, reason, at: at.toISOString() })),
    }));
  }

  private async findReconciliation(krn: string, hasProfile: boolean): Promise<IdentityUser['reconciliation']> {
    const row = await this.reconciliations.find(krn);
    if (!row) return null;
    const { dueAt, failures, lastError, personalData } = row;
    const kind = !hasProfile ? 'removal' : personalData ? 'personal_data' : 'enrollments';
    return { kind, dueAt: dueAt.toISOString(), failures, lastError };
  }
}

function subscriptionView(
  id: string,
  events: readonly SubscriptionEvent[],
  now: Date,
): IdentityUser['subscriptions'][number] {
  const subscription = subscriptionOf(events);
  const { isCaptured, receipts, endsAt } = subscription;
  const isKnown = isCaptured || receipts.length > 0;
  const planned = plannedChange(subscription, now);
  return {
    id,
    state: !isKnown ? 'not_captured' : isLive(subscription, now) ? 'live' : 'ended',
    entitlements: entitlementsAt(subscription, now),
    endsAt: isoOf(endsAt),
    plannedChange: planned && { at: planned.from.toISOString(), entitlements: planned.entitlements },
    events: events.map(({ occurredAt, effectiveAt, ...event }) => ({
      ...event,
      occurredAt: occurredAt.toISOString(),
      effectiveAt: isoOf(effectiveAt),
    })),
  };
}

const isoOf = (time: Date | null): string | null => time?.toISOString() ?? null;
