import { Injectable } from '@nestjs/common';
import { queryPrepared } from '@tandem/database';
import { type Caller, DELIVERY_STATUSES, type DeliveryKind } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { type LogPosition, timestampOf } from './delivery-cursor';

/** The stored part of a request. */
export interface StoredRequest extends LogPosition {
  readonly kind: DeliveryKind;
  readonly oid: string;
  readonly createdAt: Date;
  readonly body: string;
}

/** Selects the deliveries that were created after a position and before `end`. */
export interface RequestRange {
  readonly after: LogPosition;
  /** Microseconds since 1970, exclusive. */
  readonly end: string;
  readonly limit: number;
}

/** Reads the requests of deliveries in the order in which they were created. It changes nothing. */
@Injectable()
export class PostbackRequestRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the time up to which all deliveries are visible to statements that begin later, in microseconds since 1970. Transactions do not
   * commit in the order of `created_at`. But a delivery is not created before its transaction begins, so none that is still invisible is
   * older than the oldest open transaction. Only sessions of this app's role add deliveries; the current statement is one of them.
   */
  async findEnd(): Promise<string> {
    const [row] = await queryPrepared<{ end: string }>(this.dataSource, 'requests-end', END, []);
    if (row === undefined) throw new Error('pg_stat_activity has no row of this session');
    return row.end;
  }

  /** Reads one page, the oldest first. Its cost depends neither on the number of deliveries nor on the position. */
  find({ partnerId, environment }: Caller, { after, end, limit }: RequestRange): Promise<StoredRequest[]> {
    return queryPrepared<StoredRequest>(this.dataSource, 'requests-page', PAGE, [
      partnerId,
      environment,
      DELIVERY_STATUSES,
      timestampOf(after.createdUs),
      after.id,
      timestampOf(end),
      limit,
    ]);
  }
}

const END = `
  select (extract(epoch from min(xact_start)) * 1000000)::bigint::text as end from pg_stat_activity
  where datname = current_database() and usename = current_user`;

const OLDEST = 'order by created_at, id limit $7';

/**
 * Merges a page of each status, because the index of the log begins with it. A delivery that was stopped is left out: its sale was closed
 * before an endpoint accepted it.
 */
const PAGE = `
  select d.id, d.kind, d.oid, d.body, d.created_at as "createdAt",
    (extract(epoch from d.created_at) * 1000000)::bigint::text as "createdUs"
  from unnest($3::text[]) as wanted (status)
  cross join lateral (
    select id, kind, oid, body, created_at from delivery
    where partner_id = $1 and environment = $2 and status = wanted.status
      and created_at >= $4 and created_at < $6 and (created_at, id) > ($4, $5)
      and (status <> 'failed' or closed_by is null) ${OLDEST}) d
  ${OLDEST}`;
