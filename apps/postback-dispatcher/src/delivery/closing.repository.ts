import { Injectable } from '@nestjs/common';
import type { SaleClosed, SaleClosing } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';
import { addClosureNotices, mayBeAccepted } from './closure.statements';
import { CLOCK_TOLERANCE, saleKeptDays } from './partition.rules';

/** The ids of a sale and its partner, for a log line. */
type SaleOfPartner = Pick<SaleClosed, 'oid' | 'partnerId'>;

/** The ids of a delivery, its partner and its sale, for a log line. */
export interface SaleDelivery extends SaleOfPartner {
  readonly id: string;
}

/** A delivery that was stopped, because its sale was closed while the delivery was pending or held. */
export interface StoppedDelivery extends SaleDelivery {
  readonly closedBy: SaleClosing;
}

/** How a sale was closed, with the id and the trace context of the event. */
export interface ClosedSale extends SaleClosed {
  readonly eventId: string;
  readonly traceparent: string | null;
}

/** The changes that the closing of sales caused. */
export interface Closed {
  readonly stopped: StoppedDelivery[];
  /** How many closure notices were added. */
  readonly notified: number;
  /** Closed sales that got no notice although their partner has opted in: their delivery was dropped, and their event lacks the data of the sale. */
  readonly withoutNotice: SaleOfPartner[];
}

/** A closing that the current transaction has stored, with the data of its event. */
interface Registered {
  readonly oid: string;
  readonly partnerId: string;
  readonly status: SaleClosing;
  readonly closedAt: Date;
  /** Null if the sale has no delivery, or had one whose row of `sale_delivery` was deleted. */
  readonly deliveryId: string | null;
}

/** Stores that sales were closed, that is, refunded or charged back. Locks rows of `sale_delivery` first, then deliveries. */
@Injectable()
export class ClosingRepository {
  constructor(private readonly config: PostbackDispatcherConfig) {}

  /**
   * Stores the closings in `sale_delivery`, marks the deliveries of the sales, and stops those that are pending or held. The sweeps of all
   * replicas read `sale_delivery`, and drop stopped deliveries from memory.
   *
   * Three statements are needed, because a statement sees only changes that were committed, or made by earlier statements of its transaction,
   * before it began. The first one stores the closings, and may wait for a transaction that adds a delivery of the sale. The second one finds,
   * locks and marks the deliveries, including that delivery. The third one sees the marks, and adds closure notices for postbacks that the
   * endpoint has accepted or may have accepted. If a postback is in flight, ResultRepository adds the notice later, when an attempt has ended
   * and the endpoint has accepted or may have accepted the postback.
   *
   * Banks charge sales back months later, when the delivery has been dropped after the retention. The notice of such a sale is created from
   * the data of the event. It is created whether or not the endpoint accepted the postback, because the outcome of the postback is no
   * longer stored.
   */
  async close(manager: EntityManager, closed: readonly ClosedSale[]): Promise<Closed> {
    const runner = runnerOf(manager);
    const closings = await queryPrepared<Registered>(runner, 'sales-close', REGISTER, [JSON.stringify(closed)]);
    if (closings.length === 0) return { stopped: [], notified: 0, withoutNotice: [] };
    const ofDeliveries = closings.filter(({ deliveryId }) => deliveryId !== null);
    const ids = ofDeliveries.map(({ deliveryId }) => deliveryId);
    const marked = await queryPrepared<StoppedDelivery & { isStopped: boolean }>(
      runner,
      'deliveries-close',
      MARK_AND_STOP,
      [ids, ofDeliveries.map(({ status }) => status), ofDeliveries.map(({ closedAt }) => closedAt)],
    );
    const found = new Set<string | null>(marked.map(({ id }) => id));
    const absent = closings.filter(({ deliveryId }) => !found.has(deliveryId));
    const values = [ids, JSON.stringify(absent), saleKeptDays(this.config.POSTBACK_RETENTION_DAYS)];
    const sales = await queryPrepared<SaleOfPartner & { isNotified: boolean }>(
      runner,
      'closures-notify',
      NOTIFY,
      values,
    );
    return {
      stopped: marked.filter(({ isStopped }) => isStopped),
      notified: sales.filter(({ isNotified }) => isNotified).length,
      withoutNotice: sales.filter(({ isNotified }) => !isNotified),
    };
  }
}

/** The columns of a closing as JSON: the data of the event, its id and its trace context. */
const CLOSING_COLUMNS = `oid text, environment text, "partnerId" text, status text, "closedAt" timestamptz, "sharedId" text,
    "qualifiedAt" timestamptz, "eventId" text, traceparent text`;

/**
 * Stores closings in `sale_delivery`. If a sale has several closings, stores the newest one or, if they have the same time, the chargeback.
 * partner-gateway uses the same rule. Returns the closings that were stored.
 */
const REGISTER = `
  with given as materialized (
    select distinct on (oid, environment) * from json_to_recordset($1::json) as s (${CLOSING_COLUMNS})
    order by oid, environment, "closedAt" desc, status = 'charged_back' desc),
  stored as (
    insert into sale_delivery as r (oid, environment, closed_by, closed_at, closing_stored_at)
    select oid, environment, status, "closedAt", clock_timestamp() from given order by oid, environment
    on conflict (oid, environment) do update set closed_by = excluded.closed_by, closed_at = excluded.closed_at,
      closing_stored_at = excluded.closing_stored_at
    where r.closed_at is null
      or (r.closed_at, r.closed_by = 'charged_back') < (excluded.closed_at, excluded.closed_by = 'charged_back')
    returning oid, environment, delivery_id)
  select given.*, delivery_id as "deliveryId" from stored join given using (oid, environment)`;

// Locks deliveries of every status, because a concurrent replay may make a delivered one pending.
const MARK_AND_STOP = `
  with closed as (select * from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as c (id, closed_by, closed_at)),
  locked as materialized (
    select d.id, d.created_at, d.status, d.endpoint_id, d.partner_id, d.oid, c.closed_by, c.closed_at
    from closed c join delivery d using (id) order by d.id for update of d),
  marked as (
    update delivery d set closed_by = l.closed_by, closed_at = l.closed_at, next_attempt_at = null,
      status = case when l.status in ('pending', 'held') then 'failed' else l.status end
    from locked l where d.id = l.id and d.created_at = l.created_at)
  select id, partner_id as "partnerId", oid, closed_by as "closedBy", status in ('pending', 'held') as "isStopped" from locked`;

/**
 * Selects the deliveries whose postback the endpoint has accepted or may have accepted. This includes deliveries that a replay made pending
 * again and that are stopped now. Attempts are read only for deliveries whose status is not `delivered`.
 */
const MAYBE_ACCEPTED = `
  select d.oid, d.environment, d.partner_id, d.ref_id, d.event_id, d.traceparent, d.status, d.closed_by, d.closed_at from delivery d
  where d.id = any ($1::uuid[]) and d.closed_at is not null
    and (d.status = 'delivered' or d.attempt_count > 0 and exists (
      select from attempt a
      where a.delivery_id = d.id and a.at >= d.created_at - ${CLOCK_TOLERANCE} and ${mayBeAccepted('a.status', 'a.error')}))`;

const ABSENT = `json_to_recordset($2::json) as s (${CLOSING_COLUMNS}, "deliveryId" uuid)`;

/**
 * Selects the sales whose delivery was dropped. If `sale_delivery` does not name the delivery, only the age of the sale distinguishes the
 * sale from one whose `sale.completed` has not arrived yet. The column for the status of the delivery is null, because the outcome of the
 * postback is no longer stored. The select occurs twice in one statement. Both occurrences select the same sales, because `now()` has the same
 * value in both.
 */
const DROPPED = `
  select oid, environment, "partnerId", nullif("sharedId", ''), "eventId", traceparent, null, status, "closedAt"
  from ${ABSENT}
  where "qualifiedAt" is not null
    and ("deliveryId" is not null or "qualifiedAt" < now() - make_interval(days => $3::integer))`;

/**
 * Selects the sales whose delivery was dropped and whose event lacks the data for a notice, if the partner has opted in. A sale without a
 * deliveryId is left out: its `sale.completed` may still arrive.
 */
const WITHOUT_NOTICE = `
  select s.oid, s."partnerId", false as "isNotified" from ${ABSENT}
  join endpoint e on e.partner_id = s."partnerId" and e.environment = s.environment and e.notify_closures
  where s."qualifiedAt" is null and s."deliveryId" is not null`;

/**
 * $1: the ids of the closed sales' deliveries, which this transaction has locked; $2: the closings whose delivery was not found; $3: the
 * result of `saleKeptDays`.
 */
const NOTIFY = `
  with ${addClosureNotices(`${MAYBE_ACCEPTED} union all ${DROPPED}`)}
  select oid, partner_id as "partnerId", true as "isNotified" from notice union all ${WITHOUT_NOTICE}`;
