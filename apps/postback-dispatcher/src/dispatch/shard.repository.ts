import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A shard that a replica owns. The epoch increases whenever a replica takes the shard, so it identifies a period of ownership. */
export interface OwnedShard {
  readonly id: number;
  readonly epoch: string;
}

/** The state of the shards that a heartbeat found. */
export interface ShardState {
  /** Shards whose lease this replica has just renewed. */
  readonly owned: OwnedShard[];
  /** The number of all shards. */
  readonly total: number;
  /** Shards without an owner, or whose owner is another replica with an expired lease. */
  readonly free: number;
  /** Live replicas, including this one. */
  readonly replicas: number;
  /** Milliseconds until the first valid lease of another replica ends; null if no other replica has a valid lease. */
  readonly nextEndMs: number | null;
}

/** Stores the leases on shards. No other code writes them. */
@Injectable()
export class ShardRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Renews the leases of a replica, stores whether the replica is live, and returns the state of the shards. An expired lease is renewed
   * too, unless another replica has taken the shard. Also deletes replicas that have not been live for an hour.
   * @param isLive false for a replica that returns its shards: it no longer counts when the other replicas compute their shares
   */
  async renew(replicaId: string, leaseMs: number, isLive: boolean): Promise<ShardState> {
    const [row] = await this.dataSource.query<[ShardState]>(
      `with forgotten as (delete from replica where seen_until < now() - interval '1 hour'),
         seen as (insert into replica (id, seen_until)
           values ($1, case when $3 then now() + $2 * interval '1 millisecond' else now() end)
           on conflict (id) do update set seen_until = excluded.seen_until),
         renewed as (update shard set lease_until = now() + $2 * interval '1 millisecond' where owner = $1 returning id, epoch)
       select
         (select coalesce(json_agg(json_build_object('id', id, 'epoch', epoch::text)), '[]') from renewed) as owned,
         count(*)::int as total,
         count(*) filter (where owner is null or owner <> $1 and lease_until <= now())::int as free,
         (select count(*)::int from replica where seen_until > now() and id <> $1) + 1 as replicas,
         (extract(epoch from min(lease_until) filter (where owner <> $1 and lease_until > now()) - now()) * 1000)::float8 as "nextEndMs"
       from shard`,
      [replicaId, leaseMs, isLive],
    );
    return row;
  }

  /** Takes up to `count` shards that have no owner or an expired lease. */
  async claim(replicaId: string, count: number, leaseMs: number): Promise<OwnedShard[]> {
    const [rows] = await this.dataSource.query<[OwnedShard[], number]>(
      `with free as (
         select id from shard where owner is null or owner <> $1 and lease_until <= now()
         order by id limit $2 for update skip locked)
       update shard s set owner = $1, epoch = s.epoch + 1, lease_until = now() + $3 * interval '1 millisecond'
       from free where s.id = free.id returning s.id, s.epoch::text as epoch`,
      [replicaId, count, leaseMs],
    );
    return rows;
  }

  /** Ends the leases on these shards, so that another replica can take them immediately. */
  async release(replicaId: string, ids: readonly number[]): Promise<void> {
    await this.dataSource.query(
      'update shard set owner = null, lease_until = null where owner = $1 and id = any ($2::smallint[])',
      [replicaId, ids],
    );
  }

  /** Ends all leases of a replica that stops, and deletes the replica. */
  async leave(replicaId: string): Promise<void> {
    await this.dataSource.query(
      `with gone as (delete from replica where id = $1)
       update shard set owner = null, lease_until = null where owner = $1`,
      [replicaId],
    );
  }
}
