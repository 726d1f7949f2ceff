import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { EntityManager } from 'typeorm';
import type { Quota } from './rate-limit.rules';

/** What the shared count granted. */
export interface Grant {
  granted: number;
  /** Permits left in the shared count. */
  remaining: number;
  /** Milliseconds from the answer until a further permit is free. */
  resetMs: number;
}

const RESERVE_SQL = `
  select granted, remaining, reset_ms as "resetMs" from reserve_permits($1, $2, $3, $4, $5, $6)`;

/**
 * The time limit of a reservation. It is short, because all requests of a caller wait for the same reservation: a dead connection must not
 * block the caller for long.
 */
const RESERVE_TIMEOUT_MS = 2_000;

/**
 * The count that all replicas share: one row for each caller and policy. The function `reserve_permits` of
 * RATE_LIMIT_MIGRATIONS contains its rules. The function uses the database's clock, so the replicas' clocks need not agree.
 */
@Injectable()
export class RateLimitRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * Takes permits from the shared count: one for each of the `waiting` requests, as long as permits are free. It takes
   * more, up to a batch, if the total is at most a tenth of the free permits.
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
   * Deletes the rows that contain no counted permit any more. The window is that of the row's policy, or the longest
   * of the given windows if the row's policy is not given. The statement never waits: locked rows are left for the next run.
   *
   * @returns how many rows were deleted
   */
  async deleteIdle(policies: readonly Pick<Quota, 'policy' | 'windowSeconds'>[]): Promise<number> {
    const windows = policies.map(({ windowSeconds }) => windowSeconds);
    const [, deleted] = await this.manager.query<[unknown, number]>(
      `delete from rate_limit_window
        where (caller, policy) in (
          select caller, policy from rate_limit_window r
            left join unnest($1::text[], $2::integer[]) as q (name, seconds) on q.name = r.policy
           where times[cardinality(times)] < now() - make_interval(secs => coalesce(q.seconds, $3))
             for update of r skip locked)`,
      [policies.map(({ policy }) => policy), windows, Math.max(...windows)],
    );
    return deleted;
  }
}
