import { Injectable } from '@nestjs/common';
import type { Environment, SaleClosing } from '@tandem/contracts';
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
  readonly eventId: string;
  readonly traceparent: string | null;
  readonly body: string;
}

/** A delivery that was added. */
export interface AddedDelivery {
  /** Unix ms. */
  readonly createdAt: number;
  /** A held one is not sent until it is replayed; a failed one is of a sale that was closed before. */
  readonly status: 'pending' | 'held' | 'failed';
  readonly closedBy: SaleClosing | null;
  /** Null when the partner has none. */
  readonly endpoint: Endpoint | null;
}

interface AddedRow {
  deliveryId: string;
  deliveryStatus: AddedDelivery['status'];
  createdAt: number;
  closedBy: SaleClosing | null;
  endpointId: string | null;
}

/** Of an endpoint's first delivery; all null in the others. */
type EndpointOfRow = { [K in keyof EndpointRow]: EndpointRow[K] | null };

/** Writes deliveries in the transaction of their events. It waits only for a transaction that registers or closes the same sale. */
@Injectable()
export class DeliveryRepository {
  /**
   * Adds the deliveries of the sales that have none yet: due now when the partner has an enabled endpoint, held when not, failed when the
   * sale is closed.
   * @returns those that were added, by their ids
   */
  async add(manager: EntityManager, deliveries: readonly NewDelivery[]): Promise<Map<string, AddedDelivery>> {
    const rows = await queryPrepared<AddedRow & EndpointOfRow>(runnerOf(manager), 'deliveries-add', ADD, [
      JSON.stringify(deliveries.map(rowOf)),
    ]);
    const withEndpoint = rows.filter((row): row is AddedRow & EndpointRow => row.id !== null);
    const endpoints = new Map(withEndpoint.map((row) => [row.endpointId, endpointOf(row)]));
    return new Map(
      rows.map(({ deliveryId: id, deliveryStatus: status, createdAt, closedBy, endpointId }) => [
        id,
        { status, createdAt, closedBy, endpoint: endpoints.get(endpointId) ?? null },
      ]),
    );
  }
}

/** A delivery as the statement reads it. */
const rowOf = (delivery: NewDelivery): object => ({
  id: delivery.id,
  partner_id: delivery.partnerId,
  environment: delivery.environment,
  oid: delivery.oid,
  ref_id: delivery.refId,
  event_id: delivery.eventId,
  traceparent: delivery.traceparent,
  body: delivery.body,
});

/**
 * Sales in one order, so that two transactions with the same ones wait for each other instead of failing. A sale that is registered
 * without a delivery was closed before.
 */
const ADD = `
  with sale as materialized (
    select distinct on (oid, environment) *
    from json_to_recordset($1::json) as s (id uuid, partner_id text, environment text, oid text, ref_id text, event_id text,
      traceparent text, body text)
    order by oid, environment, id),
  registered as (
    insert into sale_delivery as r (oid, environment, delivery_id) select oid, environment, id from sale
    on conflict (oid, environment) do update set delivery_id = excluded.delivery_id where r.delivery_id is null
    returning delivery_id, closed_by),
  planned as materialized (
    select sale.*, e.id as endpoint_id, closed_by,
      case when closed_by is not null then 'failed' when e.status = 'active' then 'pending' else 'held' end as status
    from sale join registered on delivery_id = sale.id left join endpoint e using (partner_id, environment)),
  added as (
    insert into delivery
      (id, partner_id, environment, endpoint_id, oid, ref_id, event_id, traceparent, body, closed_by, status, next_attempt_at)
    select id, partner_id, environment, endpoint_id, oid, ref_id, event_id, traceparent, body, closed_by, status,
      case when status = 'pending' then clock_timestamp() end
    from planned returning id, created_at, endpoint_id, closed_by, status)
  select a.id as "deliveryId", a.status as "deliveryStatus", a.closed_by as "closedBy", a.endpoint_id as "endpointId",
    (extract(epoch from a.created_at) * 1000)::float8 as "createdAt", ${ENDPOINT_COLUMNS}
  from (select *, row_number() over (partition by endpoint_id) as place from added) a
  left join endpoint e on e.id = a.endpoint_id and a.place = 1`;
