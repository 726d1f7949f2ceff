import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProfileReading } from '../profile/profile.repository';
import type { SubscriptionEvent } from './subscription.rules';
import { FIND_USERS, INSERT, INSERT_RECEIPTS, LOCK, SET_AGE, UPSERT } from './subscription.statements';

/** An event of a subscription. `krn` is the KRN of the subscription's user, or null if the event does not name the user. */
export interface NewSubscriptionEvent extends SubscriptionEvent {
  readonly subscriptionId: string;
  readonly krn: string | null;
}

/** An event as read from JSON, where times are strings. */
interface StoredEvent extends Omit<SubscriptionEvent, 'occurredAt' | 'effectiveAt'> {
  readonly subscriptionId: string;
  readonly occurredAt: string;
  readonly effectiveAt: string | null;
}

/** What is stored about a user's subscriptions: events and receipts. `subscriptionEvents` is null if there are none. */
export interface StoredSubscriptions {
  readonly subscriptionEvents: readonly StoredEvent[] | null;
}

/** Returns the stored events together with receipts that are not stored yet. */
export const withReceipts = (
  { subscriptionEvents }: StoredSubscriptions,
  receipts: readonly SubscriptionReceipt[],
): StoredSubscriptions => ({
  subscriptionEvents: [
    ...(subscriptionEvents ?? []),
    ...receipts.map(({ subscriptionId, entitlements, issuedAt }) => ({
      subscriptionId,
      entitlements,
      occurredAt: issuedAt,
      type: 'receipt' as const,
      effectiveAt: null,
      paymentStatus: null,
    })),
  ],
});

/**
 * Selects the {@link StoredSubscriptions} of a user: the events of the user's subscriptions, and the user's receipts. The subscription of a
 * receipt may belong to another user or to nobody. Its events are selected too, because they may end the receipt, but without entitlements.
 *
 * @param krn an SQL expression
 * @param more SQL, beginning with `union all`, for the ids of further subscriptions whose events are selected without entitlements
 */
const subscriptionEventsOf = (krn: string, more = ''): string => `
  (select json_agg(json_build_object(
            'subscriptionId', e.id, 'type', e.type, 'occurredAt', e.occurred_at, 'effectiveAt', e.effective_at,
            'entitlements', e.entitlements, 'paymentStatus', e.payment_status) order by e.seq)
     from (select s.id, e.seq, e.type, e.occurred_at, e.effective_at, e.entitlements, e.payment_status
             from subscription s join subscription_event e on e.subscription_id = s.id
            where s.krn = ${krn}
            union all
           select r.subscription_id, 0, 'receipt', r.issued_at, null, r.entitlements, null
             from subscription_receipt r where r.krn = ${krn}
            union all
           select s.id, e.seq, e.type, e.occurred_at, e.effective_at, null, e.payment_status
             from subscription s join subscription_event e on e.subscription_id = s.id
            where s.krn is distinct from ${krn}
              and s.id in (select r.subscription_id from subscription_receipt r where r.krn = ${krn} ${more})) e)`;

/** Adds the user's subscriptions to a read of the profile. */
export const SUBSCRIPTIONS: ProfileReading<StoredSubscriptions> = {
  name: 'subscriptions',
  columns: { subscriptionEvents: subscriptionEventsOf('p.krn') },
};

const FIND = `select ${subscriptionEventsOf('$1', 'union all select unnest($2::text[])')} as "subscriptionEvents"`;

/** Groups the events by subscription id, in the given order. */
export function eventsBySubscription({
  subscriptionEvents,
}: StoredSubscriptions): ReadonlyMap<string, readonly SubscriptionEvent[]> {
  const bySubscription = new Map<string, SubscriptionEvent[]>();
  for (const { subscriptionId, occurredAt, effectiveAt, ...event } of subscriptionEvents ?? []) {
    const times = {
      occurredAt: new Date(occurredAt),
      effectiveAt: effectiveAt === null ? null : new Date(effectiveAt),
    };
    const events = bySubscription.get(subscriptionId) ?? [];
    bySubscription.set(subscriptionId, events);
    events.push({ ...event, ...times });
  }
  return bySubscription;
}

/** The users of a subscription after a save (`krn`) and before the save (`formerKrn`), who may be the same. Null if unknown. */
export interface SubscriptionOwner {
  readonly id: string;
  readonly krn: string | null;
  readonly formerKrn: string | null;
}

/** What {@link SubscriptionRepository.add} returns. */
interface AddedEvents {
  readonly owners: readonly SubscriptionOwner[];
  readonly holders: readonly string[];
  readonly purchased: readonly string[];
}

/**
 * Stores what billing reported about subscriptions, and the receipts of users. Every event of a subscription is kept until the subscription
 * is deleted; the subscription's current state is computed from all these events.
 */
@Injectable()
export class SubscriptionRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Reads the subscriptions and receipts of a user. `subscriptionEvents` is null if there is neither an event nor a receipt.
   *
   * @param more ids of further subscriptions, whether they belong to another user or to nobody; their events are read too, without entitlements
   */
  async findOfUser(krn: string, more: readonly string[] = []): Promise<StoredSubscriptions> {
    const rows = await queryPrepared<StoredSubscriptions>(this.dataSource, 'subscription-events-of-user', FIND, [
      krn,
      more,
    ]);
    return rows[0] ?? { subscriptionEvents: null };
  }

  /** Returns the user of a subscription and the users who hold receipts for it, sorted by KRN, at most `limit` of them. */
  async findUsers(subscriptionId: string, limit: number): Promise<string[]> {
    const values = [subscriptionId, limit];
    const rows = await queryPrepared<{ krn: string }>(this.dataSource, 'subscription-users', FIND_USERS, values);
    return rows.map(({ krn }) => krn);
  }

  /** Saves receipts of a user, with two statements. */
  async addReceipts(manager: EntityManager, krn: string, receipts: readonly SubscriptionReceipt[]): Promise<void> {
    if (receipts.length === 0) return;
    const runner = runnerOf(manager);
    await queryPrepared(runner, 'subscriptions-lock', LOCK, [receipts.map(({ subscriptionId }) => subscriptionId)]);
    const rows = receipts.map(({ subscriptionId: id, issuedAt: at, entitlements }) => ({ id, at, entitlements }));
    await queryPrepared(runner, 'subscription-receipts-insert', INSERT_RECEIPTS, [krn, JSON.stringify(rows)]);
  }

  /**
   * Saves events in the given order, with four statements.
   *
   * @returns the owners, one for each subscription; the users who hold receipts of these subscriptions; and the subscriptions to which a
   *   captured purchase was added, not counting purchases that were already stored
   */
  async add(manager: EntityManager, events: readonly NewSubscriptionEvent[]): Promise<AddedEvents> {
    if (events.length === 0) return { owners: [], holders: [], purchased: [] };
    const ids = events.map(({ subscriptionId }) => subscriptionId);
    await queryPrepared(runnerOf(manager), 'subscriptions-lock', LOCK, [ids]);
    const owners = await queryPrepared<SubscriptionOwner>(runnerOf(manager), 'subscriptions-upsert', UPSERT, [
      ids,
      events.map(({ krn }) => krn),
      events.map(({ occurredAt }) => occurredAt.toISOString()),
    ]);
    const values = [JSON.stringify(events)];
    const [added] = await queryPrepared<Omit<AddedEvents, 'owners'>>(
      runnerOf(manager),
      'subscription-events-insert',
      INSERT,
      values,
    );
    await queryPrepared(runnerOf(manager), 'subscriptions-set-age', SET_AGE, [ids]);
    return { owners, ...(added as Omit<AddedEvents, 'owners'>) };
  }
}
