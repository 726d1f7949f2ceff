import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What is not delivered, as counts and ages. */
export interface Backlog {
  readonly pending: number;
  /** Pending deliveries whose attempt has been due for longer than the tolerance, and whose endpoint is not paused. */
  readonly overdue: number;
  readonly held: number;
  /** Without those whose sale was paid back. */
  readonly failed: number;
  readonly disabledEndpoints: number;
  /** Seconds since the oldest pending delivery was created; 0 when there is none. */
  readonly oldestPendingSeconds: number;
  /** Seconds since the attempt was due that has been waiting longest; 0 when none is due. */
  readonly oldestDueSeconds: number;
}

/** Counts what is not delivered. */
@Injectable()
export class BacklogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Its cost follows what is pending, held or failed, by indexes of these alone, not what was ever delivered. */
  async measure(overdueAfterSeconds: number): Promise<Backlog> {
    const [row] = await this.dataSource.query<[Backlog]>(
      `select p.*, u.*, (select count(*)::int from endpoint where status = 'disabled') as "disabledEndpoints"
       from (
         select count(*)::int as pending,
           (count(*) filter (where d.next_attempt_at < now() - $1 * interval '1 second'
             and coalesce(e.blocked_until < now(), true)))::int as overdue,
           coalesce(extract(epoch from now() - min(d.created_at)), 0)::float8 as "oldestPendingSeconds",
           coalesce(greatest(extract(epoch from now() - min(d.next_attempt_at)), 0), 0)::float8 as "oldestDueSeconds"
         from delivery d left join endpoint e on e.id = d.endpoint_id where d.status = 'pending') p,
       (
         select (count(*) filter (where status = 'held'))::int as held,
           (count(*) filter (where status = 'failed' and closed_by is null))::int as failed
         from delivery where status in ('held', 'failed')) u`,
      [overdueAfterSeconds],
    );
    return row;
  }
}
