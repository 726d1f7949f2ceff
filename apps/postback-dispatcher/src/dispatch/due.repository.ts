import { Injectable } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import { queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import type { DueDelivery } from './dispatch-types';
import { IN_INDEX_ORDER } from './index-order';
import { OVERHEAD_BYTES } from './memory-budget';
import { SendingDatabase } from './sending-database';

/** The position up to which an endpoint's deliveries were read: the time of the next attempt, as Postgres formats it, and the id. */
export interface DueCursor {
  readonly at: string;
  readonly id: string;
  /** Whether this is the position before all due deliveries. */
  readonly isFirst?: boolean;
}

/** The position before all due deliveries. */
export const FIRST_DUE: DueCursor = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000', isFirst: true };

/** The maximum rows and bytes of a read. A read that finds due deliveries returns at least one, even if this delivery exceeds the bytes. */
export interface ReadLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** A part of an endpoint's due deliveries. */
export interface DueBatch {
  readonly deliveries: DueDelivery[];
  /** Where the next part starts; null when this part reached the end. */
  readonly next: DueCursor | null;
}

/** An endpoint with its first pending delivery. */
export interface PendingEndpoint {
  readonly endpointId: string;
  readonly deliveryId: string;
  /** Milliseconds until the delivery is due; 0 or less when it is due already. */
  readonly dueInMs: number;
  readonly disabled: boolean;
}

/** The result of a sweep. */
export interface Sweep {
  readonly endpoints: readonly PendingEndpoint[];
  /** The last endpoint that the sweep reached; null when the sweep reached the end. */
  readonly last: string | null;
  /** The ids of deliveries whose sale was closed recently. These deliveries must no longer be sent. */
  readonly stopped: readonly string[];
  /** Whether at least one shard has no owner. */
  readonly shardsFree: boolean;
}

/** The result of one call of {@link DueRepository.holdPending}. */
export interface HeldPart {
  /** False if the endpoint was enabled in the meantime, so nothing was held. */
  readonly disabled: boolean;
  readonly held: number;
  /** Where the next part starts; null when the endpoint is enabled, or has no pending delivery left. */
  readonly next: DueCursor | null;
}

interface DueRow {
  id: string;
  created_ms: number;
  oid: string;
  kind: DueDelivery['kind'];
  body: string;
  event_id: string;
  traceparent: string | null;
  attempt_count: number;
  attempts_before_replay: number;
  due: string;
  read: string;
}

interface SweepRow
  extends Pick<PendingEndpoint, 'deliveryId' | 'dueInMs' | 'disabled'>, Pick<Sweep, 'last' | 'shardsFree'> {
  readonly endpointId: string | null;
  /** {@link Sweep.stopped}, only in the first row of the result. */
  readonly stopped: string[] | null;
}

/** Maximum endpoints per sweep. If more endpoints have pending deliveries, the next sweep continues after the last one. */
const SWEEP_PART = 1_000;
/**
 * How long sweeps report a delivery after its sale was closed. This period begins with the statement that stores the closing, but sweeps see
 * the closing only after the commit. The period must therefore be longer than the transaction, each statement of which may take up to 15 s.
 */
const STOPPED_FOR_SECONDS = 60;

/** Reads and holds the pending deliveries of endpoints. The caller owns the shards of these endpoints, so it need not claim rows. */
@Injectable()
export class DueRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sending: SendingDatabase,
  ) {}

  /**
   * Finds due deliveries of one endpoint after the cursor, in the order of the planned times of their next attempts. Leaves out the
   * deliveries whose ids are in `known`.
   */
  async findDue(
    { id, partnerId, environment }: Pick<Endpoint, 'id' | 'partnerId' | 'environment'>,
    { at, id: after }: DueCursor,
    known: readonly string[],
    { rows: limit, bytes }: ReadLimits,
  ): Promise<DueBatch> {
    const values = [id, at, after, known, limit, Math.floor(bytes)];
    const rows = await queryPrepared<DueRow>(this.sending.source, 'delivery-due', FIND_DUE, values);
    const last = rows.at(-1);
    // `read` is the number of rows that were found before the byte limit was applied.
    const isAll = last === undefined || (Number(last.read) === rows.length && rows.length < limit);
    return {
      deliveries: rows.map((row) => deliveryOf(row, partnerId, environment)),
      next: isAll ? null : { at: last.due, id: last.id },
    };
  }

  /**
   * Runs one sweep. Starts after the endpoint `from`, and finds the endpoints of these shards that have a delivery due within `withinMs`, or that are
   * disabled and have deliveries to hold. Also reads which deliveries belong to recently closed sales, and whether shards are free. When nothing is
   * pending and no sale was closed recently, a sweep reads only two indexes and the small table `shard`.
   *
   * @param sinceLastSweepMs the time since the last sweep, which extends STOPPED_FOR_SECONDS, so that a late sweep misses no closed sale
   */
  async sweep(shards: readonly number[], from: string | null, withinMs: number, sinceLastSweepMs = 0): Promise<Sweep> {
    const stoppedForSeconds = STOPPED_FOR_SECONDS + sinceLastSweepMs / 1_000;
    const values = [shards, from ?? FIRST_DUE.id, SWEEP_PART, withinMs, stoppedForSeconds];
    const rows = await queryPrepared<SweepRow>(this.dataSource, 'delivery-sweep', SWEEP, values);
    const [{ last, shardsFree, stopped }] = rows as [SweepRow];
    const endpoints = rows.filter((row): row is SweepRow & PendingEndpoint => row.endpointId !== null);
    return { endpoints, last, shardsFree, stopped: stopped ?? [] };
  }

  /**
   * Holds up to `limit` pending deliveries of a disabled endpoint after the cursor. Held deliveries stay held until they are replayed or
   * their sale is closed. The statement locks the endpoint's row, and waits only while another transaction changes this row. It skips
   * locked deliveries, which a later part holds.
   */
  async holdPending(endpointId: string, { at, id }: DueCursor, limit: number): Promise<HeldPart> {
    const [part] = await this.dataSource.transaction(async (manager) => {
      await manager.query(IN_INDEX_ORDER);
      // The commit need not wait for the disk: if a crash of Postgres undoes it, the deliveries are pending again, and are held again.
      await manager.query('set local synchronous_commit = off');
      return manager.query<[HeldPart]>(HOLD_PENDING, [endpointId, at, id, limit]);
    });
    if (part.held === limit || !part.disabled) return part;
    const left: unknown[] = await this.dataSource.query(FIND_ANY_PENDING, [endpointId]);
    return { ...part, next: left.length > 0 ? FIRST_DUE : null };
  }
}

// Uses now() and not clock_timestamp(), because only a value that is constant within the statement can bound an index scan.
const FIND_DUE = `
  with due as materialized (
    select id, created_at, oid, kind, body, event_id, traceparent, attempt_count, attempts_before_replay, next_attempt_at,
      sum(bytes) over (order by next_attempt_at, id rows unbounded preceding) as sum, bytes, count(*) over () as read
    from (
      select *, ${OVERHEAD_BYTES} + 2 * octet_length(body) as bytes from delivery
      where endpoint_id = $1 and status = 'pending' and next_attempt_at <= now() and (next_attempt_at, id) > ($2, $3)
        and id <> all ($4::uuid[])
      order by next_attempt_at, id limit $5) first)
  select id, (extract(epoch from created_at) * 1000)::float8 as created_ms, oid, kind, body, event_id, traceparent, attempt_count,
    attempts_before_replay, next_attempt_at::text as due, read
  from due where sum <= $6 or sum = bytes`;

/**
 * Steps from endpoint to endpoint along the index of pending deliveries, and reads the first delivery of each endpoint. The result has at
 * least one row, even if no endpoint is found. `stopped` is set only in the first row.
 */
const SWEEP = `
  with recursive first as (
    (select endpoint_id, next_attempt_at, id, 1 as place from delivery
     where status = 'pending' and endpoint_id > $2 order by endpoint_id, next_attempt_at, id limit 1)
    union all
    select following.* from first cross join lateral (
      select d.endpoint_id, d.next_attempt_at, d.id, first.place + 1 from delivery d
      where d.status = 'pending' and d.endpoint_id > first.endpoint_id and first.place < $3
      order by d.endpoint_id, d.next_attempt_at, d.id limit 1) following),
  pending as (
    select f.endpoint_id, f.id, e.status = 'disabled' as disabled,
      (extract(epoch from f.next_attempt_at - now()) * 1000)::float8 as due_in_ms
    from first f join endpoint e on e.id = f.endpoint_id
    where e.shard = any ($1::smallint[])
      and (f.next_attempt_at <= now() + $4 * interval '1 millisecond' or e.status = 'disabled'))
  select (select endpoint_id from first where place = $3) as last,
    exists (select from shard where owner is null) as "shardsFree",
    case when row_number() over () = 1 then array(
      select delivery_id::text from sale_delivery
      where closing_stored_at > now() - $5 * interval '1 second' and delivery_id is not null) end as stopped,
    endpoint_id as "endpointId", id as "deliveryId", due_in_ms as "dueInMs", disabled
  from (select) one left join pending on true`;

/** Holds a part of a disabled endpoint's pending deliveries. `for share` keeps the endpoint disabled until the commit. */
const HOLD_PENDING = `
  with disabled_endpoint as materialized (select from endpoint where id = $1 and status = 'disabled' for share),
    part as materialized (
      select id, created_at, next_attempt_at from delivery
      where endpoint_id = $1 and status = 'pending' and (next_attempt_at, id) > ($2, $3) and exists (select from disabled_endpoint)
      order by next_attempt_at, id limit $4 for update skip locked),
    held as (
      update delivery d set status = 'held', next_attempt_at = null from part
      where d.id = part.id and d.created_at = part.created_at returning 1)
  select exists (select from disabled_endpoint) as disabled, (select count(*)::int from held) as held,
    (select json_build_object('at', next_attempt_at::text, 'id', id) from part
     order by next_attempt_at desc, id desc limit 1) as next`;

// The `order by` is only there to make the planner use the index of pending deliveries.
const FIND_ANY_PENDING = `
  select from delivery where endpoint_id = $1 and status = 'pending' order by next_attempt_at, id limit 1`;

const deliveryOf = (row: DueRow, partnerId: string, environment: Environment): DueDelivery => ({
  id: row.id,
  createdAt: row.created_ms,
  partnerId,
  environment,
  oid: row.oid,
  kind: row.kind,
  body: row.body,
  eventId: row.event_id,
  traceparent: row.traceparent,
  attemptCount: row.attempt_count,
  attemptsBeforeReplay: row.attempts_before_replay,
});
