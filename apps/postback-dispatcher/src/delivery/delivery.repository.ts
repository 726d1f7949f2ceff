import { Injectable } from '@nestjs/common';
import type { Environment, SaleClosing, SaleReference } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from '../endpoint/endpoint.row';
import type { Endpoint } from '../endpoint/endpoint.entity';

/** A delivery to add. */
export interface NewDelivery {
  readonly id: string;
  readonly partnerId: string;
  readonly environment: Environment;
  readonly oid: string;
  /** The partner's own reference; null when the sale has none. */
  readonly refId: string | null;
  readonly endpointId: string | null;
  readonly eventId: string;
  readonly traceparent: string | null;
  readonly body: string;
  /** A held one is not sent until it is replayed. */
  readonly status: 'pending' | 'held';
}

/** A delivery that was added. */
export interface AddedDelivery {
  /** Unix ms. */
  readonly createdAt: number;
  /** How its sale was closed before; null for a sale that was not: only that one's delivery may be sent. */
  readonly closedBy: SaleClosing | null;
}

/** Gives the endpoint of a sale; null when its partner has none. */
export type EndpointFinder = (sale: SaleReference) => Endpoint | null;

/** Writes deliveries in the transaction of their events. It waits only for a transaction that registers or closes the same sale. */
@Injectable()
export class DeliveryRepository {
  /** Reads the endpoints of these sales' partners. */
  async findEndpoints(manager: EntityManager, sales: readonly SaleReference[]): Promise<EndpointFinder> {
    const wanted = new Map(sales.map((sale) => [keyOf(sale), sale]));
    const rows = await queryPrepared<EndpointRow>(runnerOf(manager), 'endpoints-of-sales', FIND_ENDPOINTS, [
      [...wanted.values()].map(({ partnerId }) => partnerId),
      [...wanted.values()].map(({ environment }) => environment),
    ]);
    const found = new Map(rows.map(endpointOf).map((endpoint) => [keyOf(endpoint), endpoint]));
    return (sale) => found.get(keyOf(sale)) ?? null;
  }

  /**
   * Adds the deliveries of the sales that have none yet, due now; those of closed sales as failed.
   * @returns those that were added, by their ids
   */
  async add(manager: EntityManager, deliveries: readonly NewDelivery[]): Promise<Map<string, AddedDelivery>> {
    const rows = await queryPrepared<AddedDelivery & { id: string }>(runnerOf(manager), 'deliveries-add', ADD, [
      JSON.stringify(deliveries.map(rowOf)),
    ]);
    return new Map(rows.map(({ id, createdAt, closedBy }) => [id, { createdAt, closedBy }]));
  }
}

const keyOf = ({ partnerId, environment }: Pick<SaleReference, 'partnerId' | 'environment'>): string =>
  `${environment} ${partnerId}`;

/** A delivery as the statement reads it. */
const rowOf = (delivery: NewDelivery): object => ({
  id: delivery.id,
  partner_id: delivery.partnerId,
  environment: delivery.environment,
  oid: delivery.oid,
  ref_id: delivery.refId,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  traceparent: delivery.traceparent,
  body: delivery.body,
  status: delivery.status,
});

const FIND_ENDPOINTS = `
  select ${ENDPOINT_COLUMNS} from unnest($1::text[], $2::text[]) as wanted (partner_id, environment)
  join endpoint e using (partner_id, environment)`;

/**
 * Sales in one order, so that two transactions with the same ones wait for each other instead of failing. A sale that is registered
 * without a delivery was closed before.
 */
const ADD = `
  with sale as materialized (
    select distinct on (oid, environment) *
    from json_to_recordset($1::json) as s (id uuid, partner_id text, environment text, oid text, ref_id text, endpoint_id uuid,
      event_id text, traceparent text, body text, status text)
    order by oid, environment, id),
  registered as (
    insert into sale_delivery as r (oid, environment, delivery_id) select oid, environment, id from sale
    on conflict (oid, environment) do update set delivery_id = excluded.delivery_id where r.delivery_id is null
    returning delivery_id, closed_by)
  insert into delivery
    (id, partner_id, environment, endpoint_id, oid, ref_id, event_id, traceparent, body, closed_by, status, next_attempt_at)
  select id, partner_id, environment, endpoint_id, oid, ref_id, event_id, traceparent, body, closed_by,
    case when closed_by is null then status else 'failed' end,
    case when closed_by is null and status = 'pending' then clock_timestamp() end
  from sale join registered on delivery_id = id
  returning id, closed_by as "closedBy", (extract(epoch from created_at) * 1000)::float8 as "createdAt"`;
