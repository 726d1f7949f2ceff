import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProfileReading } from '../profile/profile.repository';
import type { SubscriptionEvent } from './subscription.rules';

/** A subscription's event, and whose subscription it is, as far as the event says. */
export interface NewSubscriptionEvent extends SubscriptionEvent {
  readonly subscriptionId: string;
  readonly krn: string | null;
}

/** An event as JSON has it: times are text. */
interface StoredEvent extends Omit<SubscriptionEvent, 'occurredAt' | 'effectiveAt'> {
  readonly subscriptionId: string;
  readonly occurredAt: string;
  readonly effectiveAt: string | null;
}

/** What is stored of a user's subscriptions; null for a user without one. */
export interface StoredSubscriptions {
  readonly subscriptionEvents: readonly StoredEvent[] | null;
}

/** {@link StoredSubscriptions} of a user. @param krn an SQL expression */
const subscriptionEventsOf = (krn: string): string => `
  (select json_agg(json_build_object(
            'subscriptionId', s.id, 'type', e.type, 'occurredAt', e.occurred_at, 'effectiveAt', e.effective_at,
            'entitlements', e.entitlements, 'paymentStatus', e.payment_status) order by e.seq)
     from subscription s join subscription_event e on e.subscription_id = s.id
    where s.krn = ${krn})`;

/** A profile with its subscriptions. */
export const SUBSCRIPTIONS: ProfileReading<StoredSubscriptions> = {
  name: 'subscriptions',
  columns: { subscriptionEvents: subscriptionEventsOf('p.krn') },
};

const FIND = `select ${subscriptionEventsOf('$1')} as "subscriptionEvents"`;

/** The events of each subscription by its id, in the order of their arrival. */
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

/** Whose a subscription is, and whose it was before; null where nobody is known. */
export interface SubscriptionOwner {
  readonly id: string;
  readonly krn: string | null;
  readonly formerKrn: string | null;
}

/**
 * Rows are locked in the order of their ids, so that two batches never wait in a circle. The user that the newest event names is
 * the subscription's. The inner select sees the row as it was before.
 */
const UPSERT = `
  insert into subscription as s (id, krn, krn_at)
  select id, krn, case when krn is not null then at end
    from (select distinct on (id) id, krn, at
            from unnest($1::text[], $2::text[], $3::timestamptz[]) as given (id, krn, at)
           order by id, krn is null, at desc) as newest
   order by id
  on conflict (id) do update set
    krn = case when excluded.krn_at >= coalesce(s.krn_at, '-infinity') then excluded.krn else s.krn end,
    krn_at = greatest(s.krn_at, excluded.krn_at)
  returning s.id, s.krn, (select former.krn from subscription former where former.id = s.id) as "formerKrn"`;

const INSERT = `
  insert into subscription_event (subscription_id, type, occurred_at, effective_at, entitlements, payment_status)
  select e->>'subscriptionId', e->>'type', (e->>'occurredAt')::timestamptz, (e->>'effectiveAt')::timestamptz,
         case when jsonb_typeof(e->'entitlements') = 'array'
              then array(select jsonb_array_elements_text(e->'entitlements')) end,
         e->>'paymentStatus'
    from jsonb_array_elements($1::jsonb) with ordinality as given (e, n) order by n`;

/** What billing said of subscriptions: every event is kept, and what holds is computed from all of them. */
@Injectable()
export class SubscriptionRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Null events for a user without a subscription. */
  async findOfUser(krn: string): Promise<StoredSubscriptions> {
    const rows = await queryPrepared<StoredSubscriptions>(this.dataSource, 'subscription-events-of-user', FIND, [krn]);
    return rows[0] ?? { subscriptionEvents: null };
  }

  /**
   * Keeps events, in their order, by two statements.
   *
   * @returns whose their subscriptions are, one for each subscription
   */
  async add(manager: EntityManager, events: readonly NewSubscriptionEvent[]): Promise<SubscriptionOwner[]> {
    const owners = await queryPrepared<SubscriptionOwner>(runnerOf(manager), 'subscriptions-upsert', UPSERT, [
      events.map(({ subscriptionId }) => subscriptionId),
      events.map(({ krn }) => krn),
      events.map(({ occurredAt }) => occurredAt.toISOString()),
    ]);
    await queryPrepared(runnerOf(manager), 'subscription-events-insert', INSERT, [JSON.stringify(events)]);
    return owners;
  }
}
