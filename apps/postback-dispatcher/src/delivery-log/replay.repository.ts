import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { ENDPOINT_LOCK_CLASS } from '../dispatch/lease.repository';
import type { Caller } from './caller.decorator';
import type { ReplayRange } from './delivery-log.rules';

/** What a replay did. */
export interface Replayed {
  readonly count: number;
  /** The replica that owns the endpoint, which has to be woken; null when nobody does. */
  readonly owner: string | null;
}

/** Puts deliveries back into the line of their endpoint. */
@Injectable()
export class ReplayRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether the caller has the delivery in its log. */
  async isKnown({ partnerId, environment }: Caller, id: string, since: Date): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `select from delivery where id = $1 and partner_id = $2 and environment = $3 and created_at >= $4`,
      [id, partnerId, environment, since],
    );
    return rows.length > 0;
  }

  /** How many deliveries of a range there are, counted up to `limit`. */
  async countRange({ partnerId, environment }: Caller, range: ReplayRange, limit: number): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      `select count(*)::int as count from (
         select from delivery where partner_id = $1 and environment = $2 and status = any ($3)
           and created_at >= $4 and created_at < $5 limit $6) counted`,
      [partnerId, environment, range.statuses, range.from, range.to, limit],
    );
    return row?.count ?? 0;
  }

  replayOne(endpointId: string, { partnerId, environment }: Caller, id: string, since: Date): Promise<Replayed> {
    return this.replay(endpointId, 'id = $4 and created_at >= $5', [partnerId, environment, id, since]);
  }

  replayRange(endpointId: string, { partnerId, environment }: Caller, range: ReplayRange): Promise<Replayed> {
    const { from, to, statuses } = range;
    const values = [partnerId, environment, statuses, from, to];
    return this.replay(endpointId, 'status = any ($4) and created_at >= $5 and created_at < $6', values);
  }

  /**
   * All or nothing. Locks in the order of the statements that add deliveries and store results: the endpoint's advisory lock,
   * deliveries, the endpoint's schedule.
   *
   * The shared lock on the endpoint, held until this transaction ends, keeps the endpoint from being declared idle by a worker
   * that cannot see yet what is to be sent.
   */
  private replay(endpointId: string, condition: string, values: unknown[]): Promise<Replayed> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`select pg_advisory_xact_lock_shared(${ENDPOINT_LOCK_CLASS}, hashtext($1::uuid::text))`, [
        endpointId,
      ]);
      const [, count] = await manager.query<[unknown[], number]>(replayWhere(condition), [endpointId, ...values]);
      if (count === 0) return { count, owner: null };
      return { count, owner: await this.schedule(manager, endpointId) };
    });
  }

  /** Sees to it that the endpoint is looked at. Its row is written only when it is not due already. */
  private async schedule(manager: EntityManager, endpointId: string): Promise<string | null> {
    await manager.query(
      `update endpoint_schedule set next_due_at = greatest(clock_timestamp(), blocked_until)
       where endpoint_id = $1 and (next_due_at is null or next_due_at > greatest(clock_timestamp(), blocked_until))`,
      [endpointId],
    );
    const [row] = await manager.query<{ lease_owner: string | null }[]>(
      `select lease_owner from endpoint_schedule where endpoint_id = $1 and lease_until > clock_timestamp()`,
      [endpointId],
    );
    return row?.lease_owner ?? null;
  }
}

/**
 * A delivery that is pending keeps its retries, and is only brought forward: an attempt that is under way has been judged by
 * them. Any other begins them anew. A held one may be older than the endpoint.
 */
const replayWhere = (condition: string): string => `
  update delivery set status = 'pending', endpoint_id = $1, failure_reason = null, delivered_at = null,
    attempts_before_replay = case when status = 'pending' then attempts_before_replay else attempt_count end,
    next_attempt_at = least(next_attempt_at, clock_timestamp())
  where partner_id = $2 and environment = $3 and ${condition}`;
