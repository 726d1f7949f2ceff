import { Injectable } from '@nestjs/common';
import { type Caller, DELIVERY_STATUSES, type DeliveryStatus } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { queryPrepared } from '@tandem/database';
import type { LogPosition } from './delivery-cursor';

/** How many attempts of a delivery are shown, the newest: replays can make any number of them. */
const SHOWN_ATTEMPTS = 50;

/** A page of the log. */
export interface PageOf {
  readonly caller: Caller;
  /** Null: of every status. */
  readonly status: DeliveryStatus | null;
  /** The page begins behind this delivery; null: with the newest. */
  readonly after: LogPosition | null;
  readonly limit: number;
  /** What is older is no more in the log. */
  readonly since: Date;
}

/** An attempt as it is stored. */
export interface AttemptRow {
  readonly number: number;
  readonly at: Date;
  readonly httpStatus: number | null;
  readonly latencyMs: number;
  readonly error: string | null;
  readonly response: string | null;
}

/** A delivery of a page, with its attempts, oldest first. */
export interface LoggedDelivery {
  readonly id: string;
  readonly oid: string;
  readonly status: DeliveryStatus;
  readonly createdAt: Date;
  /** The same in microseconds. */
  readonly createdUs: string;
  readonly deliveredAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly attempts: AttemptRow[];
}

type PageRow = Omit<LoggedDelivery, 'attempts'> & (AttemptRow | { readonly number: null });

/** Above every delivery. */
const FROM_THE_NEWEST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Reads the log of deliveries. */
@Injectable()
export class DeliveryLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** One page, newest first. Its cost does not grow with the log, nor with how far behind the newest it is. */
  async findPage({ caller, status, after, limit, since }: PageOf): Promise<LoggedDelivery[]> {
    const from = after === null ? FROM_THE_NEWEST : { at: timestampOf(after.createdUs), id: after.id };
    const rows = await queryPrepared<PageRow>(this.dataSource, 'delivery-page', PAGE, [
      caller.partnerId,
      caller.environment,
      status === null ? DELIVERY_STATUSES : [status],
      since,
      from.at,
      from.id,
      limit,
    ]);
    const deliveries = new Map<string, LoggedDelivery>();
    for (const row of rows) {
      const delivery = deliveries.get(row.id) ?? { ...deliveryOf(row), attempts: [] };
      deliveries.set(row.id, delivery);
      if (row.number !== null) delivery.attempts.push(attemptOf(row));
    }
    return [...deliveries.values()];
  }
}

/** Microseconds since 1970 as Postgres reads them, none lost. */
function timestampOf(createdUs: string): string {
  const us = BigInt(createdUs);
  const seconds = new Date(Number(us / 1000n)).toISOString().slice(0, -1);
  return `${seconds}${(us % 1000n).toString().padStart(3, '0')}Z`;
}

const deliveryOf = ({ id, oid, status, createdAt, createdUs, deliveredAt, nextAttemptAt }: PageRow) => ({
  id,
  oid,
  status,
  createdAt,
  createdUs,
  deliveredAt,
  nextAttemptAt,
});

const attemptOf = ({ number, at, httpStatus, latencyMs, error, response }: AttemptRow): AttemptRow => ({
  number,
  at,
  httpStatus,
  latencyMs,
  error,
  response,
});

/**
 * A page of each wanted status, merged: so one index is enough for all lists, and each reads as many entries of it as it shows.
 * The bounds on created_at alone are for partitions, which a comparison of rows does not rule out. Attempts are looked for from
 * the time of their delivery on, by clocks that may differ a little. The limit is how many there are, and only ends the search: the
 * partitions of later weeks are not touched for what was delivered long ago.
 */
const PAGE = `
  with page as materialized (
    select d.* from unnest($3::text[]) as wanted (status)
    cross join lateral (
      select id, oid, status, created_at, delivered_at, next_attempt_at, attempt_count from delivery
      where partner_id = $1 and environment = $2 and delivery.status = wanted.status
        and created_at >= $4 and created_at <= $5 and (created_at, id) < ($5, $6)
      order by created_at desc, id desc limit $7) d
    order by d.created_at desc, d.id desc limit $7)
  select p.id, p.oid, p.status, p.created_at as "createdAt", (extract(epoch from p.created_at) * 1000000)::bigint as "createdUs",
    p.delivered_at as "deliveredAt", p.next_attempt_at as "nextAttemptAt",
    a.number, a.at, a.status as "httpStatus", a.latency_ms as "latencyMs", a.error, a.response
  from page p
  left join lateral (
    select * from attempt
    where delivery_id = p.id and number > p.attempt_count - ${SHOWN_ATTEMPTS} and at >= p.created_at - interval '1 minute'
    limit least(p.attempt_count, ${SHOWN_ATTEMPTS})) a on true
  order by p.created_at desc, p.id desc, a.number`;
