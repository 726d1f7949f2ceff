import { Injectable } from '@nestjs/common';
import { queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import type { DueDelivery } from './dispatch.types';

/** The place in an endpoint's line up to which it was read: time of the next attempt, as Postgres writes it, and id. */
export interface DueCursor {
  readonly at: string;
  readonly id: string;
}

/** The beginning of the line. */
export const LINE_START: DueCursor = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** A part of an endpoint's line, with what is known of the endpoint at the same moment. */
export interface DueBatch {
  readonly deliveries: DueDelivery[];
  /** Where the next part begins; null when this part reached the end. */
  readonly next: DueCursor | null;
  /** Milliseconds until the first delivery that is not due yet; null when there is none, or the end was not reached. */
  readonly laterInMs: number | null;
}

interface DueRow {
  id: string;
  created_ms: number;
  partner_id: string;
  environment: DueDelivery['environment'];
  oid: string;
  body: string;
  attempt_count: number;
  attempts_before_replay: number;
  due: string;
}

/** Reads what endpoints have in their lines. The reader owns the endpoint, so no row is claimed. */
@Injectable()
export class DueRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Due deliveries of one endpoint by the time of their next attempt, behind the cursor. */
  async findDue(endpointId: string, cursor: DueCursor, limit: number): Promise<DueBatch> {
    const rows = await queryPrepared<DueRow>(this.dataSource, 'delivery-due', FIND_DUE, [
      endpointId,
      cursor.at,
      cursor.id,
      limit,
    ]);
    const last = rows.at(-1);
    const full = rows.length === limit && last !== undefined;
    return {
      deliveries: rows.map(deliveryOf),
      next: full ? { at: last.due, id: last.id } : null,
      laterInMs: full ? null : await this.laterInMs(endpointId, last ? { at: last.due, id: last.id } : cursor),
    };
  }

  /** Keeps what a disabled endpoint has left; a replay sends it. @returns false when the endpoint is enabled by now */
  async holdPending(endpointId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ disabled: boolean }[]>(
      `with gone as (select id from endpoint where id = $1 and status = 'disabled' for share),
         held as (update delivery d set status = 'held', next_attempt_at = null
           from gone where d.endpoint_id = gone.id and d.status = 'pending')
       select exists (select from gone) as disabled`,
      [endpointId],
    );
    return row?.disabled === true;
  }

  private async laterInMs(endpointId: string, { at, id }: DueCursor): Promise<number | null> {
    const [row] = await queryPrepared<{ ms: number | null }>(this.dataSource, 'delivery-later', FIND_LATER, [
      endpointId,
      at,
      id,
    ]);
    return row?.ms ?? null;
  }
}

// now() and not clock_timestamp(): only a value that is fixed for the statement can bound an index scan.
const FIND_DUE = `
  select id, (extract(epoch from created_at) * 1000)::float8 as created_ms, partner_id, environment, oid, body, attempt_count,
    attempts_before_replay, next_attempt_at::text as due
  from delivery
  where endpoint_id = $1 and status = 'pending' and next_attempt_at <= now() and (next_attempt_at, id) > ($2, $3)
  order by next_attempt_at, id limit $4`;

// From where the first statement ended, and not from now: what became due between the two must not be overlooked.
const FIND_LATER = `
  select (extract(epoch from min(next_attempt_at) - now()) * 1000)::float8 as ms from delivery
  where endpoint_id = $1 and status = 'pending' and (next_attempt_at, id) > ($2, $3)`;

const deliveryOf = (row: DueRow): DueDelivery => ({
  id: row.id,
  createdAt: row.created_ms,
  partnerId: row.partner_id,
  environment: row.environment,
  oid: row.oid,
  body: row.body,
  attemptCount: row.attempt_count,
  attemptsBeforeReplay: row.attempts_before_replay,
});
