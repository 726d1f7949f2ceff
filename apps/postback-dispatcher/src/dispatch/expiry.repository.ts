import { Injectable, Logger } from '@nestjs/common';
import { type Environment, POSTBACK_FAILED, type PostbackFailed } from '@tandem/contracts';
import type { DeliveryKind } from '@tandem/internal-api';
import { type NewEvent, Outbox } from '@tandem/messaging';
import { traceIdOf } from '@tandem/tracing';
import { DataSource } from 'typeorm';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import { countExpired } from '../statistics/delivery-statistic.statements';
import { IN_INDEX_ORDER } from './index-order';

interface ExpiredRow {
  id: string;
  partner_id: string;
  environment: Environment;
  oid: string;
  kind: DeliveryKind;
  event_id: string;
  traceparent: string | null;
  attempt_count: number;
}

export interface ExpiryLimits {
  /** The minimum time from a delivery's creation, and from its last replay, to its expiry, in ms. */
  readonly afterMs: number;
  /**
   * A list whose index is the number of attempts that a delivery has had since the last replay that restarted its retries. Each value is how
   * long after the planned time of the next attempt the delivery expires, in ms.
   */
  readonly remainingMs: readonly number[];
}

/**
 * Sets expired deliveries to `failed`, and disables endpoints. Locks deliveries (and skips locked ones), then statistics, and then the
 * endpoint.
 */
@Injectable()
export class ExpiryRepository {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly outbox: Outbox,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Sets the expired deliveries of an endpoint to `failed`, oldest first: due deliveries whose attempt has been delayed for too long. Changes
   * nothing if another replica has taken the shard in the meantime, because the other replica may be sending the deliveries.
   * @param shardEpoch the epoch of this process's ownership of the endpoint's shard
   * @param except the ids of deliveries with an attempt in progress, or with a result that is not stored yet
   * @returns the number of failed deliveries, at most `limit`
   */
  async expire(
    endpoint: Endpoint,
    shardEpoch: string,
    { remainingMs, afterMs }: ExpiryLimits,
    except: readonly string[],
    limit: number,
  ): Promise<number> {
    const { id, partnerId, environment, shard } = endpoint;
    const expired = await this.outbox.transaction(async (manager) => {
      const values = [id, partnerId, environment, afterMs, except, limit, remainingMs, shard, shardEpoch];
      await manager.query(IN_INDEX_ORDER);
      const rows = await manager.query<ExpiredRow[]>(EXPIRE, values);
      if (rows.length === 0) return rows;
      const failedAt = new Date().toISOString();
      const events = rows.filter(({ kind }) => kind === 'sale').map((row) => eventOf(row, failedAt));
      await this.outbox.addMany(manager, POSTBACK_FAILED, events);
      await manager.query(COUNT_EXHAUSTED, [id, rows.length]);
      return rows;
    });
    for (const row of expired) this.logger.warn(lineOf(row));
    return expired.length;
  }

  /**
   * Disables the endpoints of these shards that have at least `exhausted` exhausted or expired deliveries in a row, and have been failing
   * for at least `seconds`.
   * @returns the ids of the disabled endpoints
   */
  async disableFailing(shards: readonly number[], exhausted: number, seconds: number): Promise<string[]> {
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(
      `update endpoint set status = 'disabled', disabled_reason = 'deliveries_exhausted'
       where shard = any ($1::smallint[]) and status = 'active' and consecutive_exhausted >= $2
         and failing_since <= now() - $3 * interval '1 second'
       returning id`,
      [shards, exhausted, seconds],
    );
    for (const { id: endpointId } of rows) {
      this.logger.warn({ msg: 'endpoint.disabled', endpointId, reason: 'deliveries_exhausted' });
    }
    return rows.map(({ id }) => id);
  }
}

// Reads a partner's pending deliveries in the order of creation, by the index of the delivery log. The expiry depends on the planned time
// of the next attempt and not on the age alone, because `Retry-After` can postpone attempts. The shard is not locked, because its lock
// would delay the heartbeat, or keep another process from taking the shard while this transaction waits. So another process may take the
// shard after the statement began, and send a delivery that the statement sets to `failed`. If the endpoint accepts that request, the delivery
// still becomes delivered: see `result.statements`.
const EXPIRE = `
  with part as materialized (
    select id, created_at from delivery
    where (select epoch from shard where id = $8::smallint) = $9::bigint
      and partner_id = $2 and environment = $3 and status = 'pending' and created_at <= now() - $4 * interval '1 millisecond'
      and coalesce(replayed_at, created_at) <= now() - $4 * interval '1 millisecond'
      and endpoint_id = $1 and next_attempt_at <= now() and id <> all ($5::uuid[])
      and next_attempt_at <= now() - interval '1 millisecond'
        * ($7::float8[])[least(attempt_count - attempts_before_replay + 1, cardinality($7::float8[]))]
    order by created_at, id limit $6 for update skip locked),
  expired as (
    update delivery d set status = 'failed', failure_reason = 'attempts_exhausted', next_attempt_at = null
    from part where d.id = part.id and d.created_at = part.created_at
    returning d.id, d.partner_id, d.environment, d.created_at, d.oid, d.kind, d.event_id, d.traceparent, d.attempt_count),
  counted as (${countExpired('expired')})
  select id, partner_id, environment, oid, kind, event_id, traceparent, attempt_count from expired`;

const COUNT_EXHAUSTED = 'update endpoint set consecutive_exhausted = consecutive_exhausted + $2 where id = $1';

const eventOf = (row: ExpiredRow, failedAt: string): NewEvent<PostbackFailed> => ({
  data: {
    oid: row.oid,
    partnerId: row.partner_id,
    environment: row.environment,
    deliveryId: row.id,
    attempts: row.attempt_count,
    reason: 'attempts_exhausted',
    failedAt,
  },
  traceparent: row.traceparent ?? undefined,
});

const lineOf = (row: ExpiredRow): object => ({
  msg: 'delivery.expired',
  deliveryId: row.id,
  eventId: row.event_id,
  traceId: traceIdOf(row.traceparent ?? undefined),
  partnerId: row.partner_id,
  environment: row.environment,
  oid: row.oid,
  attempts: row.attempt_count,
});
