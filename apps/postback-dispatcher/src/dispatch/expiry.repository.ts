import { Injectable, Logger } from '@nestjs/common';
import { type Environment, POSTBACK_FAILED, type PostbackFailed } from '@tandem/contracts';
import { type NewEvent, Outbox } from '@tandem/messaging';
import { DataSource } from 'typeorm';

interface ExpiredRow {
  id: string;
  partner_id: string;
  environment: Environment;
  oid: string;
  event_id: string;
  traceparent: string | null;
  attempt_count: number;
}

/** Writes that deliveries and endpoints were given up. Locks deliveries, never waiting for one, and then the endpoint. */
@Injectable()
export class ExpiryRepository {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly outbox: Outbox,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Gives up due deliveries of an endpoint that were created, or last replayed, longer than `afterMs` ago, the oldest first.
   * @param except ids of deliveries whose attempt is under way
   * @returns how many, at most `limit`
   */
  async expire(
    endpointId: string,
    part: { afterMs: number; except: readonly string[]; limit: number },
  ): Promise<number> {
    const expired = await this.outbox.transaction(async (manager) => {
      const values = [endpointId, part.afterMs, part.except, part.limit];
      const [rows] = await manager.query<[ExpiredRow[], number]>(EXPIRE, values);
      if (rows.length === 0) return rows;
      const failedAt = new Date().toISOString();
      await this.outbox.addMany(
        manager,
        POSTBACK_FAILED,
        rows.map((row) => eventOf(row, failedAt)),
      );
      const counted = 'update endpoint set consecutive_exhausted = consecutive_exhausted + $2 where id = $1';
      await manager.query(counted, [endpointId, rows.length]);
      return rows;
    });
    for (const row of expired) this.logger.warn(lineOf(row));
    return expired.length;
  }

  /** Disables endpoints with so many exhausted deliveries in a row that have been failing for so long. @returns their ids */
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

// By the index of the log, where what a partner has pending stands in the order of its creation.
const EXPIRE = `
  with part as materialized (
    select d.id, d.created_at from endpoint e join delivery d on d.partner_id = e.partner_id and d.environment = e.environment
    where e.id = $1 and d.endpoint_id = e.id and d.status = 'pending'
      and d.created_at <= now() - $2 * interval '1 millisecond'
      and coalesce(d.replayed_at, d.created_at) <= now() - $2 * interval '1 millisecond'
      and d.next_attempt_at <= now() and d.id <> all ($3::uuid[])
    order by d.created_at, d.id limit $4 for update of d skip locked)
  update delivery d set status = 'failed', failure_reason = 'attempts_exhausted', next_attempt_at = null
  from part where d.id = part.id and d.created_at = part.created_at
  returning d.id, d.partner_id, d.environment, d.oid, d.event_id, d.traceparent, d.attempt_count`;

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
  traceparent: row.traceparent ?? undefined,
  partnerId: row.partner_id,
  environment: row.environment,
  oid: row.oid,
  attempts: row.attempt_count,
});
