import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProfileReading } from '../profile/profile.repository';
import type { SubscriptionEvent } from './subscription.rules';

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
      ...{ subscriptionId, entitlements, occurredAt: issuedAt, type: 'receipt' as const },
      ...{ effectiveAt: null, paymentStatus: null },
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

/** Reads a profile with its subscriptions. */
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

/**
 * Saves the users of subscriptions. A subscription belongs to the user whom the newest event with a KRN names. The select of
 * `formerKrn` sees the row as it was before the statement. `LOCK` must have locked the row before: otherwise, a user whom a concurrent
 * transaction has just saved would not be returned.
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

/**
 * Adds events. Returns the users who hold receipts of the subscriptions: they must be reconciled too, although the subscriptions may belong
 * to other users or to nobody.
 */
const INSERT = `
  with added as (
  insert into subscription_event (subscription_id, type, occurred_at, effective_at, entitlements, payment_status)
  select e->>'subscriptionId', e->>'type', (e->>'occurredAt')::timestamptz, (e->>'effectiveAt')::timestamptz,
         case when jsonb_typeof(e->'entitlements') = 'array'
              then array(select jsonb_array_elements_text(e->'entitlements')) end,
         e->>'paymentStatus'
    from jsonb_array_elements($1::jsonb) with ordinality as given (e, n) order by n)
  select distinct krn from subscription_receipt
   where subscription_id in (select e->>'subscriptionId' from jsonb_array_elements($1::jsonb) as given (e))`;

/** How long a subscription is kept after its end, or after its last event arrived if this is later. */
const KEPT_AFTER_END = '13 months';

const CAPTURED = `e.type = 'purchased' and e.payment_status = 'captured'`;
const START = `(e.type = 'renewed' or ${CAPTURED})`;
const END = `e.type not in ('purchased', 'renewed', 'plan_changed')`;

/**
 * Selects when a subscription is deleted unless another event arrives. The time is null while the subscription is paid and no end is known:
 * when a payment was captured, and the newest of its start and end events is a start. Of a start and an end with the same time, the end
 * counts as newer, as in subscription.rules.ts.
 *
 * @param id an SQL expression
 */
const forgetAt = (id: string): string => `
  (select case
            when bool_or(${CAPTURED})
             and max(e.occurred_at) filter (where ${START}) > coalesce(max(e.occurred_at) filter (where ${END}), '-infinity')
            then null
            else greatest(now(), max(greatest(e.occurred_at, e.effective_at)) filter (where ${END})) + interval '${KEPT_AFTER_END}'
          end
     from subscription_event e where e.subscription_id = ${id})`;

const SET_AGE = `
  update subscription s set forget_at = aged.at
    from (select id, ${forgetAt('given.id')} as at from (select distinct unnest($1::text[]) as id) as given) as aged
   where s.id = aged.id and (s.forget_at is not null or aged.at is not null)`;

/**
 * Selects which rows whose `forget_at` has passed can be deleted. The computed time must still not be null: older releases of the app add
 * events without changing the column. A subscription with a receipt is kept: if its end were deleted, the receipt would be valid again.
 */
export const FORGETTABLE = `${forgetAt('subscription.id')} is not null
  and not exists (select 1 from subscription_receipt r where r.subscription_id = subscription.id)`;

/**
 * Locks subscriptions, or inserts them if they are new, in the order of their ids, so that two transactions cannot deadlock. Transactions
 * that add events or receipts of the same subscription thus run one after the other. `forget_at` never becomes earlier: the end may be far.
 */
const LOCK = `
  insert into subscription as s (id, forget_at)
  select distinct id, now() + interval '${KEPT_AFTER_END}' from unnest($1::text[]) as given (id) order by id
  on conflict (id) do update set forget_at = case when s.forget_at is not null then greatest(s.forget_at, excluded.forget_at) end`;

/**
 * Saves receipts. Receipts of the same user, subscription and time share one row, which has the entitlements of all of them, even if they
 * arrive in different requests.
 */
const INSERT_RECEIPTS = `
  insert into subscription_receipt as r (krn, subscription_id, issued_at, entitlements)
  select $1, given.id, given.at, array_agg(distinct entitlement)
    from jsonb_to_recordset($2::jsonb) as given (id text, at timestamptz, entitlements jsonb),
         jsonb_array_elements_text(given.entitlements) as entitlement
   group by given.id, given.at
  on conflict (krn, subscription_id, issued_at) do update set
    entitlements = array(select unnest(r.entitlements) union select unnest(excluded.entitlements))`;

const FIND_USERS = `
  select krn from subscription where id = $1 and krn is not null
   union select krn from subscription_receipt where subscription_id = $1
   order by krn limit $2`;

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
   * @param more ids of further subscriptions, of any other user or of nobody, whose events are read too, without entitlements
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
   * @returns the owners, one for each subscription, and the users who hold receipts of these subscriptions
   */
  async add(
    manager: EntityManager,
    events: readonly NewSubscriptionEvent[],
  ): Promise<{ owners: SubscriptionOwner[]; holders: readonly string[] }> {
    if (events.length === 0) return { owners: [], holders: [] };
    const ids = events.map(({ subscriptionId }) => subscriptionId);
    await queryPrepared(runnerOf(manager), 'subscriptions-lock', LOCK, [ids]);
    const owners = await queryPrepared<SubscriptionOwner>(runnerOf(manager), 'subscriptions-upsert', UPSERT, [
      ids,
      events.map(({ krn }) => krn),
      events.map(({ occurredAt }) => occurredAt.toISOString()),
    ]);
    const holders = await queryPrepared<{ krn: string }>(runnerOf(manager), 'subscription-events-insert', INSERT, [
      JSON.stringify(events),
    ]);
    await queryPrepared(runnerOf(manager), 'subscriptions-set-age', SET_AGE, [ids]);
    return { owners, holders: holders.map(({ krn }) => krn) };
  }
}
