import { Injectable } from '@nestjs/common';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource } from 'typeorm';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from '../endpoint/endpoint.row';
import type { DueDelivery } from './dispatch.types';
import { IN_INDEX_ORDER } from './index-order';

/** The place up to which an endpoint's deliveries were read: time of the next attempt, as Postgres writes it, and id. */
export interface DueCursor {
  readonly at: string;
  readonly id: string;
}

/** Before everything that is due. */
export const FIRST_DUE: DueCursor = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** A part of what an endpoint has due, with what is known of the rest at the same moment. */
export interface DueBatch {
  readonly deliveries: DueDelivery[];
  /** Where the next part begins; null when this part reached the end. */
  readonly next: DueCursor | null;
  /** Milliseconds until the first delivery that is not due yet; null when there is none. */
  readonly laterInMs: number | null;
}

/** An endpoint that has something pending. */
export interface PendingEndpoint {
  readonly endpoint: Endpoint;
  /** Milliseconds until its first delivery is due; 0 or less: it is. */
  readonly dueInMs: number;
}

/** What one step of holding did. */
export interface HeldPart {
  /** False when the endpoint was enabled meanwhile: then nothing was held. */
  readonly disabled: boolean;
  readonly held: number;
  /** Where the next step begins; null when nothing pending is left. */
  readonly next: DueCursor | null;
}

interface DueRow {
  id: string;
  created_ms: number;
  partner_id: string;
  environment: DueDelivery['environment'];
  oid: string;
  body: string;
  event_id: string;
  traceparent: string | null;
  attempt_count: number;
  attempts_before_replay: number;
  due: string;
  /** Of the one row, the last, that is not due yet. */
  later_in_ms: number | null;
}

/** Reads what endpoints have pending. The reader owns the endpoint's shard, so no row is claimed. */
@Injectable()
export class DueRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Due deliveries of one endpoint by the time of their next attempt, behind the cursor. */
  async findDue(endpointId: string, cursor: DueCursor, limit: number): Promise<DueBatch> {
    const values = [endpointId, cursor.at, cursor.id, limit];
    const rows = await this.dataSource.transaction(async (manager) => {
      await manager.query(IN_INDEX_ORDER);
      return queryPrepared<DueRow>(runnerOf(manager), 'delivery-due', FIND_DUE, values);
    });
    const later = rows.find(({ later_in_ms }) => later_in_ms !== null);
    const due = later === undefined ? rows : rows.slice(0, -1);
    const last = due.at(-1);
    return {
      deliveries: due.map(deliveryOf),
      next: due.length === limit && last !== undefined ? { at: last.due, id: last.id } : null,
      laterInMs: later?.later_in_ms ?? null,
    };
  }

  /**
   * Endpoints of these shards that have something due within `withinMs`, or that are disabled and have something left to be
   * held. Its cost follows the endpoints that have anything pending, not the deliveries.
   */
  async findPendingEndpoints(shards: readonly number[], withinMs: number): Promise<PendingEndpoint[]> {
    if (shards.length === 0) return [];
    const rows = await this.dataSource.query<(EndpointRow & { due_in_ms: number })[]>(FIND_ENDPOINTS, [
      shards,
      withinMs,
    ]);
    return rows.map((row) => ({ endpoint: endpointOf(row), dueInMs: row.due_in_ms }));
  }

  /**
   * Holds up to `limit` pending deliveries of a disabled endpoint, behind the cursor; a replay sends them. The endpoint's row is locked
   * first, and deliveries that are locked by somebody else are left for a later step: it waits for nobody but a save of the
   * configuration.
   */
  async holdPending(endpointId: string, { at, id }: DueCursor, limit: number): Promise<HeldPart> {
    const [part] = await this.dataSource.transaction(async (manager) => {
      await manager.query(IN_INDEX_ORDER);
      // What a crash of the server undoes is held again: no need to wait for the disk, in front of everybody else.
      await manager.query('set local synchronous_commit = off');
      return manager.query<[HeldPart]>(HOLD_PENDING, [endpointId, at, id, limit]);
    });
    if (part.held === limit || !part.disabled) return part;
    const left: unknown[] = await this.dataSource.query(FIND_ANY_PENDING, [endpointId]);
    return { ...part, next: left.length > 0 ? FIRST_DUE : null };
  }
}

const DUE_COLUMNS = `id, (extract(epoch from created_at) * 1000)::float8 as created_ms, partner_id, environment, oid, body,
  event_id, traceparent, attempt_count, attempts_before_replay, next_attempt_at::text as due`;

// now() and not clock_timestamp(): only a value that is fixed for the statement can bound an index scan.
const FIND_DUE = `
  (select ${DUE_COLUMNS}, null::float8 as later_in_ms from delivery
   where endpoint_id = $1 and status = 'pending' and next_attempt_at <= now() and (next_attempt_at, id) > ($2, $3)
   order by next_attempt_at, id limit $4)
  union all
  (select ${DUE_COLUMNS}, (extract(epoch from next_attempt_at - now()) * 1000)::float8 from delivery
   where endpoint_id = $1 and status = 'pending' and next_attempt_at > now() order by next_attempt_at, id limit 1)`;

/** From one endpoint to the next along the index of pending deliveries, reading the first delivery of each. */
const FIND_ENDPOINTS = `
  with recursive first as (
    (select endpoint_id, next_attempt_at from delivery where status = 'pending' order by endpoint_id, next_attempt_at limit 1)
    union all
    select following.* from first cross join lateral (
      select d.endpoint_id, d.next_attempt_at from delivery d
      where d.status = 'pending' and d.endpoint_id > first.endpoint_id order by d.endpoint_id, d.next_attempt_at limit 1) following)
  select ${ENDPOINT_COLUMNS}, (extract(epoch from first.next_attempt_at - now()) * 1000)::float8 as due_in_ms
  from first join endpoint e on e.id = first.endpoint_id
  where e.shard = any ($1::smallint[]) and (first.next_attempt_at <= now() + $2 * interval '1 millisecond' or e.status = 'disabled')`;

const HOLD_PENDING = `
  with gone as materialized (select from endpoint where id = $1 and status = 'disabled' for share),
    part as materialized (
      select id, created_at, next_attempt_at from delivery
      where endpoint_id = $1 and status = 'pending' and (next_attempt_at, id) > ($2, $3) and exists (select from gone)
      order by next_attempt_at, id limit $4 for update skip locked),
    held as (
      update delivery d set status = 'held', next_attempt_at = null from part
      where d.id = part.id and d.created_at = part.created_at returning 1)
  select exists (select from gone) as disabled, (select count(*)::int from held) as held,
    (select json_build_object('at', next_attempt_at::text, 'id', id) from part
     order by next_attempt_at desc, id desc limit 1) as next`;

// The order is for the planner: it is that of the index of pending deliveries.
const FIND_ANY_PENDING = `
  select from delivery where endpoint_id = $1 and status = 'pending' order by next_attempt_at, id limit 1`;

const deliveryOf = (row: DueRow): DueDelivery => ({
  id: row.id,
  createdAt: row.created_ms,
  partnerId: row.partner_id,
  environment: row.environment,
  oid: row.oid,
  body: row.body,
  eventId: row.event_id,
  traceparent: row.traceparent,
  attemptCount: row.attempt_count,
  attemptsBeforeReplay: row.attempts_before_replay,
});
