import { Injectable } from '@nestjs/common';
import type { Caller, DeliveryStatus } from '@tandem/internal-api';
import type { SaleClosing } from '@tandem/contracts';
import { DataSource } from 'typeorm';
import { IN_INDEX_ORDER } from '../dispatch/index-order';
import { countReplayed } from '../statistics/delivery-statistic.statements';
import type { ReplayRange } from './delivery-log.rules';

/** A part of a range that is replayed in one transaction: deliveries of one status, after the last delivery of the previous part. */
export interface ReplayPart {
  readonly status: DeliveryStatus;
  /** When the replay of the range began. Deliveries that were replayed or delivered after this time are skipped. */
  readonly begunAt: Date;
  readonly limit: number;
  /** The last delivery of the previous part; null for the first part. */
  readonly after: ReplayPosition | null;
}

/** The position of a delivery in the order of creation: its creation time, as Postgres formats it, and its id. */
export interface ReplayPosition {
  readonly at: string;
  readonly id: string;
}

/** The result of replaying a part. */
export interface ReplayedPart {
  readonly count: number;
  /** Ids of deliveries that another transaction had locked. */
  readonly locked: string[];
  /** The last delivery of the part; null when the part was empty. */
  readonly last: ReplayPosition | null;
}

/** Makes deliveries pending and due again, except the postbacks of closed sales. */
@Injectable()
export class ReplayRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Finds a delivery of the caller that was created at or after `since`, and reads how its sale was closed (`closedBy` is null if the sale
   * is not closed). Returns null if there is no such delivery.
   */
  async find(
    { partnerId, environment }: Caller,
    id: string,
    since: Date,
  ): Promise<{ closedBy: SaleClosing | null } | null> {
    const [row] = await this.dataSource.query<{ closedBy: SaleClosing | null }[]>(
      `select closed_by as "closedBy" from delivery
       where id = $1 and partner_id = $2 and environment = $3 and created_at >= $4`,
      [id, partnerId, environment, since],
    );
    return row ?? null;
  }

  /**
   * Counts the deliveries in a range, except the postbacks of closed sales, up to `limit`. Returns the count with the database's current
   * time.
   */
  async countRange(
    { partnerId, environment }: Caller,
    range: ReplayRange,
    limit: number,
  ): Promise<{ count: number; now: Date }> {
    const [row] = await this.dataSource.query<[{ count: number; now: Date }]>(
      `select count(*)::int as count, now() as now from (
         select from delivery where partner_id = $1 and environment = $2 and status = any ($3)
           and created_at >= $4 and created_at < $5 and closed_by is null limit $6) counted`,
      [partnerId, environment, range.statuses, range.from, range.to, limit],
    );
    return row;
  }

  /**
   * Replays one delivery.
   * @returns 1 if the delivery was replayed; 0 if its sale was closed, or if the caller has no delivery with this id that was created at or
   *   after `since`
   * @throws DeadlineExceededError
   */
  async replayOne(endpointId: string, { partnerId, environment }: Caller, id: string, since: Date): Promise<number> {
    const values = [endpointId, id, partnerId, environment, since];
    return (await this.write<unknown[]>(REPLAY_ONE, values)).length;
  }

  /** Replays one part of a range, in the order of creation, in one short transaction. Skips deliveries that are locked. */
  async replayPart(
    endpointId: string,
    { partnerId, environment }: Caller,
    { from, to }: ReplayRange,
    { status, begunAt, limit, after }: ReplayPart,
  ): Promise<ReplayedPart> {
    const values = [
      endpointId,
      partnerId,
      environment,
      status,
      from,
      to,
      after?.at ?? '-infinity',
      after?.id ?? LOWEST_ID,
      begunAt,
      limit,
    ];
    const [row] = await this.dataSource.transaction(async (manager) => {
      await manager.query(IN_INDEX_ORDER);
      return manager.query<[ReplayedPart]>(REPLAY_PART, values);
    });
    return row;
  }

  /**
   * Replays deliveries that `replayPart` skipped because they were locked. Skips deliveries that are still locked, deliveries that were
   * replayed or got another status in the meantime, and postbacks whose sale was closed.
   */
  async replayLocked(
    endpointId: string,
    ids: readonly string[],
    { from, to }: ReplayRange,
    { status, begunAt }: Pick<ReplayPart, 'status' | 'begunAt'>,
  ): Promise<Omit<ReplayedPart, 'last'>> {
    const [row] = await this.write<[Omit<ReplayedPart, 'last'>]>(
      `with part as materialized (
         select id, created_at from delivery
         where id = any ($2::uuid[]) and status = $4 and created_at >= $5 and created_at < $6
           and (replayed_at is null or replayed_at < $3) and (delivered_at is null or delivered_at < $3)),
       ${REPLAY_UNLOCKED}
       select (select count(*)::int from replayed) as count,
         array(select id from part where id not in (select id from unlocked)) as locked`,
      [endpointId, ids, begunAt, status, from, to],
    );
    return row;
  }

  /**
   * Runs a statement in an explicit transaction, because a single statement would commit even after the caller's deadline.
   * @throws DeadlineExceededError when the caller's deadline passed before the commit: nothing was written
   */
  private write<T>(statement: string, values: unknown[]): Promise<T> {
    return this.dataSource.transaction((manager) => manager.query<T>(statement, values));
  }
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The assignments that make a delivery due. A pending delivery keeps its place in the retry schedule, because it may have an attempt in
 * progress, whose result depends on that place. For any other status, the retries restart. The endpoint is set too, because a held delivery
 * may be older than the endpoint.
 */
const REPLAY = `
  status = 'pending', endpoint_id = $1, failure_reason = null, delivered_at = null,
  attempts_before_replay = case when d.status = 'pending' then d.attempts_before_replay else d.attempt_count end,
  replayed_at = case when d.status = 'pending' then d.replayed_at else clock_timestamp() end,
  next_attempt_at = least(d.next_attempt_at, clock_timestamp())`;

/** Replays the deliveries of `part` that are not locked, still have the status $4, and whose sale is not closed. */
const REPLAY_UNLOCKED = `
  unlocked as materialized (
    select d.id, d.created_at, d.status = $4 and d.closed_by is null as wanted from part join delivery d using (id, created_at)
    for update of d skip locked),
  replayed as (
    update delivery d set ${REPLAY} from unlocked u
    where d.id = u.id and d.created_at = u.created_at and u.wanted and d.status = $4 and d.closed_by is null
    returning d.partner_id, d.environment, d.created_at),
  counted as (${countReplayed('replayed', '$4')})`;

const REPLAY_ONE = `
  with wanted as materialized (
    select id, created_at, status from delivery
    where id = $2 and partner_id = $3 and environment = $4 and created_at >= $5 and closed_by is null for update),
  replayed as (
    update delivery d set ${REPLAY} from wanted w where d.id = w.id and d.created_at = w.created_at
    returning d.partner_id, d.environment, d.created_at, w.status as replayed_status),
  counted as (${countReplayed('replayed', 'd.replayed_status')})
  select from replayed`;

const REPLAY_PART = `with part as materialized (
    select id, created_at from delivery
    where partner_id = $2 and environment = $3 and status = $4 and created_at >= $5 and created_at < $6
      and (created_at, id) > ($7, $8) and (replayed_at is null or replayed_at < $9)
      and (delivered_at is null or delivered_at < $9) and closed_by is null
    order by created_at, id limit $10),
  ${REPLAY_UNLOCKED}
  select (select count(*)::int from replayed) as count,
    array(select id from part where id not in (select id from unlocked)) as locked,
    (select json_build_object('at', created_at::text, 'id', id) from part order by created_at desc, id desc limit 1) as last`;
