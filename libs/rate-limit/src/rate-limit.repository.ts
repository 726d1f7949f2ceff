import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { EntityManager } from 'typeorm';
import type { Quota } from './rate-limit.rules';

/** The answer of the shared count to a reservation. */
export interface Grant {
  granted: number;
  /** Permits left in the shared count. */
  remaining: number;
  /** How long until a further permit is free, ms, from the moment at which Postgres computed the answer. */
  resetMs: number;
}

const RESERVE_SQL = `
  select granted, remaining, reset_ms as "resetMs" from reserve_permits($1, $2, $3, $4, $5, $6)`;

/**
 * How long the statement of a reservation may take, ms. The time is short, because all requests of a caller wait for the same reservation:
 * a dead connection must not block the caller for long.
 */
const RESERVE_TIMEOUT_MS = 2_000;

/** Idle rows per transaction: few enough that a caller whose row is being deleted hardly waits. */
const CLEANUP_BATCH = 1_000;

/** The result of one statement: the last idle row that it found, and how many rows it found and deleted. */
interface IdleBatch {
  readonly caller: string;
  readonly policy: string;
  readonly found: number;
  readonly deleted: number;
}

/**
 * Deletes a batch of idle rows. Each statement continues after the last key of the previous one, so that all statements together read the
 * table once.
 */
const DELETE_IDLE_SQL = `
  with idle as (
    select r.ctid, r.caller, r.policy from rate_limit_window r
      left join unnest($1::text[], $2::integer[]) as q (name, seconds) on q.name = r.policy
     where (r.caller, r.policy) > ($5, $6)
       and r.times[cardinality(r.times)] < now() - make_interval(secs => coalesce(q.seconds, $3))
     order by r.caller, r.policy limit $4 for update of r skip locked),
  deleted as (delete from rate_limit_window where ctid = any (array(select ctid from idle)) returning 1)
  select caller, policy, (count(*) over ())::int as found, (select count(*) from deleted)::int as deleted
    from idle order by caller desc, policy desc limit 1`;

/**
 * The count that all replicas share: one row for each caller and policy. The function `reserve_permits` of
 * RATE_LIMIT_MIGRATIONS implements the rules. The function uses the database's clock, so the replicas' clocks need not agree.
 */
@Injectable()
export class RateLimitRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * Takes permits from the shared count: one for each of the `waiting` requests, as long as permits are free. If few
   * requests wait, it takes more: a batch, or a tenth of the free permits if this is less.
   */
  async reserve(caller: string, quota: Quota, waiting: number): Promise<Grant> {
    const { policy, limit, windowSeconds, batch } = quota;
    const values = [caller, policy, limit, windowSeconds, Math.min(waiting, limit), batch];
    const options = { timeoutMs: RESERVE_TIMEOUT_MS };
    const [grant] = await queryPrepared<Grant>(
      this.manager.dataSource,
      'reserve-permits',
      RESERVE_SQL,
      values,
      options,
    );
    return grant as Grant;
  }

  /**
   * Deletes the rows whose permits have all left the window, in small transactions. A row is checked with the window of
   * its policy, or with the longest given window if its policy is not among `policies`. No statement waits for a lock:
   * locked rows are left for the next call.
   *
   * @param stopped called between two transactions; when it returns true, the remaining rows are left for the next call
   * @returns how many rows were deleted
   */
  async deleteIdle(
    policies: readonly Pick<Quota, 'policy' | 'windowSeconds'>[],
    stopped: () => boolean = () => false,
  ): Promise<number> {
    const windows = policies.map(({ windowSeconds }) => windowSeconds);
    const values = [policies.map(({ policy }) => policy), windows, Math.max(...windows), CLEANUP_BATCH];
    let last = { caller: '', policy: '' };
    for (let total = 0; ;) {
      const [batch] = await this.manager.query<IdleBatch[]>(DELETE_IDLE_SQL, [...values, last.caller, last.policy]);
      total += batch?.deleted ?? 0;
      if (batch === undefined || batch.found < CLEANUP_BATCH || stopped()) return total;
      last = batch;
    }
  }
}
