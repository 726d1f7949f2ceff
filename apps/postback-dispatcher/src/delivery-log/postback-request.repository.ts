import { Injectable } from '@nestjs/common';
import { queryPrepared } from '@tandem/database';
import { type Caller, DELIVERY_STATUSES, type DeliveryKind } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { type LogPosition, timestampOf } from './delivery-cursor';

/** The stored parts of a request; its headers are computed. */
export interface StoredRequest extends LogPosition {
  readonly kind: DeliveryKind;
  readonly oid: string;
  readonly createdAt: Date;
  readonly body: string;
}

/** A range of deliveries: those created after the position `after` and before `end`. */
export interface RequestRange {
  readonly after: LogPosition;
  /** The end of the range in microseconds since 1970, exclusive. */
  readonly end: string;
  readonly limit: number;
}

/** Reads the requests of deliveries in the order in which the deliveries were created. */
@Injectable()
export class PostbackRequestRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns a time, in microseconds since 1970. A statement that begins after this method has returned sees every delivery that was created
   * before this time. The time is the beginning of the oldest open transaction of this app's role, because only this role adds deliveries.
   * Transactions do not commit in the order of `created_at`, but no transaction adds a delivery that is older than the transaction itself.
   * There is always a result, because the current statement is a transaction too.
   */
  async findEnd(): Promise<string> {
    const [row] = await queryPrepared<{ end: string }>(this.dataSource, 'requests-end', END, []);
    if (row === undefined) throw new Error('pg_stat_activity has no row of this session');
    return row.end;
  }

  /**
   * Reads one page, oldest first. The cost depends neither on the position of the page nor on the number of deliveries. It grows only with
   * the failed deliveries of closed sales in the range, which are read and skipped.
   */
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
 * Reads one page for each status and merges these pages, because the status precedes the time in the index of the log. Leaves out failed
 * deliveries of closed sales.
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
