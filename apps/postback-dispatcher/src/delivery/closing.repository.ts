import { Injectable } from '@nestjs/common';
import type { SaleClosed, SaleClosing } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import { addClosureNotices, mayBeAccepted } from './closure.statements';
import { CLOCK_TOLERANCE } from './partition.rules';

/** The ids of a delivery, its partner and its sale, for a log line. */
export interface SaleDelivery {
  readonly id: string;
  readonly partnerId: string;
  readonly oid: string;
}

/** A delivery that was stopped, because its sale was closed while the delivery was pending or held. */
export interface StoppedDelivery extends SaleDelivery {
  readonly closedBy: SaleClosing;
}

/** The changes that the closing of sales caused. */
export interface Closed {
  readonly stopped: StoppedDelivery[];
  /** How many closure notices were added. */
  readonly notified: number;
}

/** Stores that sales were closed, that is, refunded or charged back. Locks rows of `sale_delivery` first, then deliveries. */
@Injectable()
export class ClosingRepository {
  /**
   * Stores the closings in `sale_delivery`, marks the deliveries of the sales, and stops those that are pending or held. The sweeps of all
   * replicas read `sale_delivery`, and drop stopped deliveries from memory.
   *
   * Three statements are needed. The first may wait for a transaction that adds a delivery of the sale, and does not see this delivery. The
   * second finds and locks the deliveries. The third sees their marks, and adds closure notices for postbacks that the endpoint has
   * accepted or may have accepted. If a postback is in flight, ResultRepository adds the notice when the attempt ends in this way.
   */
  async close(manager: EntityManager, sales: readonly SaleClosed[]): Promise<Closed> {
    const runner = runnerOf(manager);
    const known = await queryPrepared<{ id: string | null; closedBy: SaleClosing; closedAt: Date }>(
      runner,
      'sales-close',
      REGISTER,
      [JSON.stringify(sales)],
    );
    const marked = known.filter(({ id }) => id !== null);
    if (marked.length === 0) return { stopped: [], notified: 0 };
    const ids = marked.map(({ id }) => id);
    const stopped = await queryPrepared<StoppedDelivery>(runner, 'deliveries-close', MARK_AND_STOP, [
      ids,
      marked.map(({ closedBy }) => closedBy),
      marked.map(({ closedAt }) => closedAt),
    ]);
    const notices = await queryPrepared(runner, 'closures-notify', NOTIFY, [ids]);
    return { stopped, notified: notices.length };
  }
}

/**
 * Stores closings in `sale_delivery`. If a sale has several closings, the newest one is stored; if they have the same time, the
 * chargeback. partner-gateway uses the same rule.
 */
const REGISTER = `
  insert into sale_delivery as r (oid, environment, closed_by, closed_at, closing_stored_at)
  select distinct on (oid, environment) oid, environment, status, "closedAt", clock_timestamp()
  from json_to_recordset($1::json) as s (oid text, environment text, status text, "closedAt" timestamptz)
  order by oid, environment, "closedAt" desc, status = 'charged_back' desc
  on conflict (oid, environment) do update set closed_by = excluded.closed_by, closed_at = excluded.closed_at,
    closing_stored_at = excluded.closing_stored_at
  where r.closed_at is null
    or (r.closed_at, r.closed_by = 'charged_back') < (excluded.closed_at, excluded.closed_by = 'charged_back')
  returning delivery_id as id, closed_by as "closedBy", closed_at as "closedAt"`;

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
  select id, partner_id as "partnerId", oid, closed_by as "closedBy"
  from locked where status in ('pending', 'held')`;

/**
 * Selects the deliveries whose postback the endpoint has accepted or may have accepted, even if a replay made them pending again and they
 * are stopped now. Attempts are read only for deliveries that are not delivered now.
 */
const MAYBE_ACCEPTED = `
  select d.* from delivery d
  where d.id = any ($1::uuid[]) and d.closed_at is not null
    and (d.status = 'delivered' or d.attempt_count > 0 and exists (
      select from attempt a
      where a.delivery_id = d.id and a.at >= d.created_at - ${CLOCK_TOLERANCE} and ${mayBeAccepted('a.status', 'a.error')}))`;

/** $1: the ids of the closed sales' deliveries, which this transaction has locked. */
const NOTIFY = `with ${addClosureNotices(MAYBE_ACCEPTED)} select from notice`;
