import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from '../endpoint/endpoint.row';
import type { Lease } from './dispatch.types';

/** First key of the advisory locks on endpoints; the second is the hash of the endpoint's id. */
export const ENDPOINT_LOCK_CLASS = 7_061_707;

/** An endpoint that this process may send to from now on. */
export interface ClaimedEndpoint {
  readonly lease: Lease;
  readonly endpoint: Endpoint;
  readonly breakerLevel: number;
}

/** What became of the wish to give a lease back. `busy`: a delivery is being added right now. */
export type SettleAnswer = 'released' | 'busy' | 'due';

/** Leases on endpoints. Every change is fenced by owner and epoch: a process that lost its lease changes nothing. */
@Injectable()
export class LeaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Notes that this process lives. @returns how many endpoints are due, and how many processes share them */
  async heartbeat(replicaId: string, ttlMs: number): Promise<{ due: number; replicas: number }> {
    const [row] = await this.dataSource.query<{ due: number; replicas: number }[]>(
      `with gone as (delete from replica where seen_until < clock_timestamp() - interval '1 hour'),
         seen as (insert into replica (id, seen_until) values ($1, clock_timestamp() + $2 * interval '1 millisecond')
           on conflict (id) do update set seen_until = excluded.seen_until)
       select (select count(*)::int from endpoint_schedule where next_due_at <= now()) as due,
         (select count(*)::int from replica where seen_until > now() and id <> $1) + 1 as replicas`,
      [replicaId, ttlMs],
    );
    return row ?? { due: 0, replicas: 1 };
  }

  async forgetReplica(replicaId: string): Promise<void> {
    await this.dataSource.query('delete from replica where id = $1', [replicaId]);
  }

  /**
   * Takes endpoints that are due and that nobody owns, up to this process's share of all that are due. What has been waiting
   * for longer than `overdueMs` is taken anyway: then nobody else takes it. An endpoint that asked for a rest, or is paused,
   * is left alone until that is over, also when the process that was told so has died.
   */
  async claim(
    replicaId: string,
    { leaseMs, overdueMs, replicas, owned }: { leaseMs: number; overdueMs: number; replicas: number; owned: number },
  ): Promise<ClaimedEndpoint[]> {
    const rows = await this.dataSource.query<(EndpointRow & { epoch: string; breaker_level: number })[]>(
      `with free as (
         select endpoint_id, next_due_at from endpoint_schedule
         where next_due_at <= now() and (lease_until is null or lease_until < clock_timestamp())
           and (blocked_until is null or blocked_until <= clock_timestamp())
         order by next_due_at limit 64 for update skip locked),
       wanted as (
         select endpoint_id from (select *, row_number() over (order by next_due_at) as place from free) ranked
         where place <= ceil((select count(*) from endpoint_schedule where next_due_at <= now())::numeric / $3) - $5
           or next_due_at < clock_timestamp() - $4 * interval '1 millisecond'),
       taken as (
         update endpoint_schedule s set lease_owner = $1, lease_epoch = s.lease_epoch + 1,
           lease_until = clock_timestamp() + $2 * interval '1 millisecond'
         from wanted where s.endpoint_id = wanted.endpoint_id
         returning s.endpoint_id, s.lease_epoch, s.breaker_level)
       select ${ENDPOINT_COLUMNS}, taken.lease_epoch::text as epoch, taken.breaker_level
       from taken join endpoint e on e.id = taken.endpoint_id`,
      [replicaId, leaseMs, replicas, overdueMs, owned],
    );
    return rows.map((row) => ({
      lease: { endpointId: row.id, epoch: row.epoch },
      endpoint: endpointOf(row),
      breakerLevel: row.breaker_level,
    }));
  }

  /** @returns the endpoints whose lease goes on; the others belong to somebody else by now */
  async renew(replicaId: string, leases: readonly Lease[], leaseMs: number): Promise<Set<string>> {
    const [rows] = await this.dataSource.query<[{ endpoint_id: string }[], number]>(
      `update endpoint_schedule s set lease_until = clock_timestamp() + $4 * interval '1 millisecond'
       from unnest($2::uuid[], $3::bigint[]) as l (endpoint_id, epoch)
       where s.endpoint_id = l.endpoint_id and s.lease_owner = $1 and s.lease_epoch = l.epoch
       returning s.endpoint_id`,
      [replicaId, leases.map(({ endpointId }) => endpointId), leases.map(({ epoch }) => epoch), leaseMs],
    );
    return new Set(rows.map(({ endpoint_id }) => endpoint_id));
  }

  /**
   * Gives back the lease of an endpoint that has nothing due before `lingerMs`, and notes when it will have.
   *
   * A delivery whose transaction is open cannot be seen, but its shared lock can: then the endpoint stays. Once this has
   * the lock, a new statement sees every delivery that was added, and the next one waits and finds the endpoint free.
   */
  async settle(replicaId: string, lease: Lease, lingerMs: number): Promise<SettleAnswer> {
    return this.dataSource.transaction(async (manager) => {
      const [lock] = await manager.query<{ locked: boolean }[]>(
        `select pg_try_advisory_xact_lock(${ENDPOINT_LOCK_CLASS}, hashtext($1::uuid::text)) as locked`,
        [lease.endpointId],
      );
      if (lock?.locked !== true) return 'busy';
      const [row] = await manager.query<{ soon: boolean | null }[]>(
        `with next as (
           select min(next_attempt_at) as at from delivery where endpoint_id = $1 and status = 'pending'),
         settled as (
           update endpoint_schedule s set next_due_at = case when next.at is not null then greatest(next.at, s.blocked_until) end,
             lease_owner = null, lease_until = null
           from next where s.endpoint_id = $1 and s.lease_owner = $2 and s.lease_epoch = $3
             and (next.at is null or next.at > clock_timestamp() + $4 * interval '1 millisecond')
           returning 1)
         select next.at <= clock_timestamp() + $4 * interval '1 millisecond' as soon from next`,
        [lease.endpointId, replicaId, lease.epoch, lingerMs],
      );
      return row?.soon === true ? 'due' : 'released';
    });
  }

  /** Gives leases back at once; whoever comes next looks at these endpoints at `inMs` from now. */
  async release(replicaId: string, leases: readonly Lease[], inMs = 0): Promise<void> {
    await this.dataSource.query(
      `update endpoint_schedule s set lease_owner = null, lease_until = null,
         next_due_at = greatest(clock_timestamp() + $4 * interval '1 millisecond', s.blocked_until)
       from unnest($2::uuid[], $3::bigint[]) as l (endpoint_id, epoch)
       where s.endpoint_id = l.endpoint_id and s.lease_owner = $1 and s.lease_epoch = l.epoch`,
      [replicaId, leases.map(({ endpointId }) => endpointId), leases.map(({ epoch }) => epoch), inMs],
    );
  }
}
