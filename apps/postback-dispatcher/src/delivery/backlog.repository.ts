import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Counts of undelivered deliveries (each up to {@link COUNT_UP_TO}), their ages, and the number of disabled endpoints. */
export interface Backlog {
  readonly pending: number;
  /** Pending deliveries whose attempt is overdue, and whose endpoint is not paused. */
  readonly overdue: number;
  readonly held: number;
  /** Failed deliveries, except the postbacks of closed sales. Only the COUNT_UP_TO oldest failed deliveries are read. */
  readonly failed: number;
  readonly disabledEndpoints: number;
  /** Seconds since the oldest pending delivery was created; 0 when there is none. */
  readonly oldestPendingSeconds: number;
  /** Seconds since the first due attempt became due; 0 when none is due. */
  readonly oldestDueSeconds: number;
}

/** Counting stops at this number: a higher number would not help the person on call, and would make the query slower. */
const COUNT_UP_TO = 100_000;

const counted = (deliveries: string): string =>
  `(select count(*)::int from (select from ${deliveries} limit ${COUNT_UP_TO}) as counted)`;

/**
 * Measures the backlog. $1: seconds after which a due attempt is overdue. `waiting` steps through the index from one endpoint with pending
 * deliveries to the next. For each endpoint, the index then finds the delivery that is due first. A large backlog of one endpoint
 * therefore does not hide other endpoints. Every `order by` is the order of an index, so no partition is ever read as a whole.
 */
const MEASURE = `
  with recursive waiting (endpoint_id) as (
    (select endpoint_id from delivery where status = 'pending' order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from delivery d where d.status = 'pending' and d.endpoint_id > w.endpoint_id
            order by d.endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null),
  oldest as (
    select first_due.next_attempt_at, first_made.created_at
    from waiting w
    cross join lateral (
      select d.next_attempt_at, d.partner_id, d.environment from delivery d
      where d.endpoint_id = w.endpoint_id and d.status = 'pending' order by d.next_attempt_at limit 1) as first_due
    cross join lateral (
      select d.created_at from delivery d
      where d.partner_id = first_due.partner_id and d.environment = first_due.environment and d.status = 'pending'
      order by d.created_at limit 1) as first_made)
  select
    ${counted(`delivery where status = 'pending' order by endpoint_id, next_attempt_at, id`)} as pending,
    ${counted(`waiting w
      left join endpoint e on e.id = w.endpoint_id
      cross join lateral (
        select from delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending'
          and d.next_attempt_at < now() - $1 * interval '1 second'
        order by d.next_attempt_at limit ${COUNT_UP_TO}) as due
      where coalesce(e.blocked_until < now(), true)`)} as overdue,
    ${counted(`delivery where status = 'held' order by created_at`)} as held,
    (select count(*)::int from (
       select closed_by from delivery where status = 'failed' order by created_at limit ${COUNT_UP_TO}) as counted
     where closed_by is null) as failed,
    (select count(*)::int from endpoint where status = 'disabled') as "disabledEndpoints",
    coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestPendingSeconds",
    coalesce(greatest(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float8 as "oldestDueSeconds"
  from oldest`;

/** Reads the counts and ages of undelivered deliveries. */
@Injectable()
export class BacklogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Measures the backlog. The cost grows with the number of endpoints that have pending deliveries, and with the number of deliveries to
   * count. Each count stops at {@link COUNT_UP_TO}.
   * @param overdueAfterSeconds how long after its due time an attempt is overdue
   */
  async measure(overdueAfterSeconds: number): Promise<Backlog> {
    const [row] = await this.dataSource.query<[Backlog]>(MEASURE, [overdueAfterSeconds]);
    return row;
  }
}
