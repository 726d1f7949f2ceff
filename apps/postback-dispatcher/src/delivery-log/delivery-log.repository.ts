import { Injectable } from '@nestjs/common';
import { type Caller, DELIVERY_STATUSES, type DeliveryKind, type DeliveryStatus } from '@tandem/internal-api';
import type { SaleClosing } from '@tandem/contracts';
import { DataSource } from 'typeorm';
import { queryPrepared } from '@tandem/database';
import { KEPT_RESPONSE_BYTES } from '../attempt/attempt.rules';
import { IS_FAILING } from '../delivery/failing.statements';
import { CLOCK_TOLERANCE } from '../delivery/partition.rules';
import { type LogPosition, timestampOf } from './delivery-cursor';

/**
 * At most this many attempts of a delivery are shown, the newest ones: as many as the default retry schedule has. There is a limit because replays
 * can add any number of attempts, and each attempt contains up to 2 KiB of an answer. JSON writes quotation marks, backslashes, tabs and
 * line breaks as two bytes, so the answers of a page of 500 deliveries take at most about 20 MB.
 */
const SHOWN_ATTEMPTS = 10;

/** The filters and the position of a page of the log. */
export interface PageOf {
  readonly caller: Caller;
  /** Selects deliveries of this status; null selects all statuses. */
  readonly status: DeliveryStatus | null;
  /** Whether to select only failing deliveries: pending deliveries with an attempt that has failed since the delivery was created or replayed. */
  readonly failing: boolean;
  /** Selects deliveries of this sale; null selects all sales. */
  readonly oid: string | null;
  /** Selects deliveries with this partner reference; null selects all references. */
  readonly refId: string | null;
  /** The page starts after this delivery; null starts at the newest delivery. */
  readonly after: LogPosition | null;
  readonly limit: number;
  /** Deliveries that were created before this time are not shown. */
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

/** The state of a delivery. */
export interface DeliveryState {
  readonly id: string;
  readonly oid: string;
  readonly status: DeliveryStatus;
  readonly deliveredAt: Date | null;
  readonly nextAttemptAt: Date | null;
  /** Why the delivery failed: `attempts_exhausted` or `endpoint_gone`; null if it did not fail because of its endpoint. */
  readonly failureReason: string | null;
  /** How the delivery's sale was closed; null when the sale is not closed, and for closure notices. */
  readonly closedBy: SaleClosing | null;
}

/** A delivery on a page, with its attempts in ascending order. */
export interface LoggedDelivery extends DeliveryState {
  readonly kind: DeliveryKind;
  readonly refId: string | null;
  readonly createdAt: Date;
  /** The time of creation, in microseconds since 1970. */
  readonly createdUs: string;
  readonly attempts: AttemptRow[];
}

type PageRow = Omit<LoggedDelivery, 'attempts'> & (AttemptRow | { readonly number: null });

/** A position that is newer than every delivery. */
const FROM_THE_NEWEST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Reads the delivery log. */
@Injectable()
export class DeliveryLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Reads one page, newest first. Without `oid` and `refId`, the cost does not depend on the size of the log or the depth of the page. */
  async findPage({ caller, status, failing, oid, refId, after, limit, since }: PageOf): Promise<LoggedDelivery[]> {
    const from = after === null ? FROM_THE_NEWEST : { at: timestampOf(after.createdUs), id: after.id };
    const { name, text, filters } = statementFor(failing ? FAILING_PAGES : PAGES, oid, refId);
    const rows = await queryPrepared<PageRow>(this.dataSource, name, text, [
      caller.partnerId,
      caller.environment,
      status === null ? DELIVERY_STATUSES : [status],
      since,
      from.at,
      from.id,
      limit,
      ...filters,
    ]);
    const deliveries = new Map<string, LoggedDelivery>();
    for (const row of rows) {
      const delivery = deliveries.get(row.id) ?? { ...deliveryOf(row), attempts: [] };
      deliveries.set(row.id, delivery);
      if (row.number !== null) delivery.attempts.push(attemptOf(row));
    }
    return [...deliveries.values()];
  }

  /** Finds the postbacks of these sales, except postbacks that were created before `since`. */
  findOfSales(
    { partnerId, environment }: Caller,
    oids: readonly string[],
    since: Date,
  ): Promise<(DeliveryState & { readonly attemptCount: number })[]> {
    return queryPrepared(this.dataSource, 'deliveries-of-sales', OF_SALES, [partnerId, environment, oids, since]);
  }
}

const deliveryOf = (row: PageRow) => ({
  id: row.id,
  oid: row.oid,
  kind: row.kind,
  refId: row.refId,
  status: row.status,
  createdAt: row.createdAt,
  createdUs: row.createdUs,
  deliveredAt: row.deliveredAt,
  nextAttemptAt: row.nextAttemptAt,
  failureReason: row.failureReason,
  closedBy: row.closedBy,
});

const attemptOf = ({ number, at, httpStatus, latencyMs, error, response }: AttemptRow): AttemptRow => ({
  number,
  at,
  httpStatus,
  latencyMs,
  error,
  response,
});

const COLUMNS =
  'id, endpoint_id, oid, kind, ref_id, status, created_at, delivered_at, next_attempt_at, attempt_count, failure_reason, closed_by';

/** Returns an SQL expression for the time of the next attempt: the planned time or, if later, the end of the pause of the endpoint `e`. */
const NEXT_ATTEMPT = (delivery: string): string =>
  `case when ${delivery}.next_attempt_at is not null then greatest(${delivery}.next_attempt_at, e.blocked_until) end`;

/** The conditions that all statements for a page have in common. */
const WITHIN = `d.partner_id = $1 and d.environment = $2
        and d.created_at >= $4 and d.created_at <= $5 and (d.created_at, d.id) < ($5, $6)`;

const NEWEST = 'order by d.created_at desc, d.id desc limit $7';

/**
 * Reads one page for each wanted status and merges these pages, so that the same index serves a page of one status and a page of all
 * statuses. For each status, at most one page of index entries is read. The separate bounds on created_at enable partition pruning, because
 * Postgres does not prune by a row comparison.
 */
const OF_ALL = `
    select d.* from unnest($3::text[]) as wanted (status)
    cross join lateral (select ${COLUMNS} from delivery d where ${WITHIN} and d.status = wanted.status ${NEWEST}) d
    ${NEWEST}`;

const FAILING = `
    select ${COLUMNS} from delivery d where ${WITHIN} and d.status = any ($3) and ${IS_FAILING} ${NEWEST}`;

/**
 * Finds the deliveries of a sale in one environment: the postback through `sale_delivery`, and the notices of a refund or chargeback
 * through `closure_notice`.
 */
const ofSale = (condition: string): string => `
    select ${COLUMNS.replaceAll(/\w+/g, 'd.$&')} from (
      select delivery_id from sale_delivery where oid = $8 and environment = $2
      union all select delivery_id from closure_notice where oid = $8 and environment = $2) s
    join delivery d on d.id = s.delivery_id
    where ($9::text is null or d.ref_id = $9)
      and ${WITHIN} and d.status = any ($3) and ${condition} ${NEWEST}`;

/**
 * The condition on the first 500 characters makes Postgres use the index of references. The index contains no more characters, because the size of
 * an index entry is limited.
 */
const ofReference = (condition: string): string => `
    select ${COLUMNS} from delivery d
    where left(d.ref_id, 500) = left($8, 500) and d.ref_id = $8 and ${WITHIN}
      and d.status = any ($3) and ${condition} ${NEWEST}`;

/**
 * Adds the attempts to a page of deliveries. The condition on `at` limits the search to partitions that end after the delivery's creation,
 * with a margin for clock differences. The limit is the number of attempts to show, so the search ends when all of them are found, and
 * reads no later partitions.
 */
const pageWithAttempts = (page: string): string => `
  with page as materialized (${page})
  select p.id, p.oid, p.kind, p.ref_id as "refId", p.status, p.created_at as "createdAt",
    (extract(epoch from p.created_at) * 1000000)::bigint as "createdUs",
    p.delivered_at as "deliveredAt", ${NEXT_ATTEMPT('p')} as "nextAttemptAt",
    p.failure_reason as "failureReason", p.closed_by as "closedBy",
    a.number, a.at, a.status as "httpStatus", a.latency_ms as "latencyMs", a.error,
    left(a.response, ${KEPT_RESPONSE_BYTES}) as response
  from page p
  left join endpoint e on e.id = p.endpoint_id
  left join lateral (
    select * from attempt
    where delivery_id = p.id and number > p.attempt_count - ${SHOWN_ATTEMPTS} and at >= p.created_at - ${CLOCK_TOLERANCE}
    limit least(p.attempt_count, ${SHOWN_ATTEMPTS})) a on true
  order by p.created_at desc, p.id desc, a.number`;

/**
 * $1, $2: the partner and the environment; $3: ids of sales; $4: deliveries that were created before this time are left out. A delivery is
 * created at the same time as its row in `sale_delivery`. The condition on `created_at` therefore excludes older partitions, and the limit
 * ends the search at the delivery, usually in the first partition that is read. The partner and the environment are compared outside of the
 * search, so that Postgres searches by the primary key.
 */
const OF_SALES = `
  select d.id, d.oid, d.status, d.delivered_at as "deliveredAt", ${NEXT_ATTEMPT('d')} as "nextAttemptAt",
    d.failure_reason as "failureReason", d.closed_by as "closedBy", d.attempt_count as "attemptCount"
  from unnest($3::text[]) as wanted (oid)
  join sale_delivery s on s.oid = wanted.oid and s.environment = $2
  cross join lateral (
    select * from delivery
    where id = s.delivery_id and created_at >= greatest($4, s.created_at - ${CLOCK_TOLERANCE})
    limit 1) d
  left join endpoint e on e.id = d.endpoint_id
  where d.partner_id = $1 and d.environment = $2`;

/**
 * Returns the statements for pages of deliveries.
 * @param kind the beginning of the statements' names
 * @param all a select of one page from the deliveries of all sales
 * @param condition an SQL condition for the pages of a sale or a reference, so that they contain only deliveries that `all` would select
 */
const pagesOf = (kind: string, all: string, condition: string) => ({
  all: { name: `${kind}-page`, text: pageWithAttempts(all) },
  ofSale: { name: `${kind}-page-of-sale`, text: pageWithAttempts(ofSale(condition)) },
  ofReference: { name: `${kind}-page-of-reference`, text: pageWithAttempts(ofReference(condition)) },
});

const PAGES = pagesOf('delivery', OF_ALL, 'true');
const FAILING_PAGES = pagesOf('failing-delivery', FAILING, IS_FAILING);

/** Returns the statement for these filters, and the values of the filters, which are the parameters from $8 on. */
function statementFor(
  { all, ofSale: one, ofReference: some }: typeof PAGES,
  oid: string | null,
  refId: string | null,
): { name: string; text: string; filters: unknown[] } {
  if (oid !== null) return { ...one, filters: [oid, refId] };
  if (refId !== null) return { ...some, filters: [refId] };
  return { ...all, filters: [] };
}
