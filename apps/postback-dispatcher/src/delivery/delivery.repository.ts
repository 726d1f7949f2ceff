import { Injectable } from '@nestjs/common';
import type { Environment, SaleClosing } from '@tandem/contracts';
import { queryPrepared } from '@tandem/database';
import { claimExpression } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from '../endpoint-store/endpoint-row';
import type { Endpoint } from '../endpoint-store/endpoint.entity';

/** A delivery to add. */
export interface NewDelivery {
  readonly id: string;
  readonly partnerId: string;
  readonly environment: Environment;
  readonly oid: string;
  /** The partner's own reference for the sale; null if there is none. */
  readonly refId: string | null;
  readonly eventId: string;
  readonly traceparent: string | null;
  readonly body: string;
}

/** An added delivery. */
export interface AddedDelivery {
  /** When the delivery was added, Unix ms. */
  readonly createdAt: number;
  /** A `held` delivery is sent only if it is replayed. A `failed` delivery is never sent, because its sale was already closed. */
  readonly status: 'pending' | 'held' | 'failed';
  readonly closedBy: SaleClosing | null;
  /** The partner's endpoint in the delivery's environment; null if there is none. */
  readonly endpoint: Endpoint | null;
}

interface AddedRow {
  deliveryId: string;
  deliveryStatus: AddedDelivery['status'];
  createdAt: number;
  closedBy: SaleClosing | null;
  endpointId: string | null;
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/**
 * A row of the result: an added delivery. The columns of an endpoint are set only in the first row of this endpoint. If no delivery was
 * added, there is one row, in which all columns except `claimed` are null.
 */
interface Row extends Nullable<AddedRow>, Nullable<EndpointRow> {
  /** The ids of the claimed events. Set only in the first row of the result. */
  readonly claimed: string[] | null;
}

/**
 * Adds deliveries together with the inbox rows of their events. The statement waits only for transactions that claim the same event, or add
 * or close the same sale.
 */
@Injectable()
export class DeliveryRepository {
  /**
   * Adds a delivery for each sale that has none. If the sale is already closed, the delivery is failed. Otherwise, it is due now if the
   * partner has an enabled endpoint, and held if not.
   *
   * @param consumer the consumer for which the statement also claims the events of the sales; an event that this consumer has already
   *   handled then adds no delivery. Null if the events are already claimed
   * @returns the ids of the claimed events, and the added deliveries by id
   */
  async add(
    manager: EntityManager,
    deliveries: readonly NewDelivery[],
    consumer: string | null,
  ): Promise<{ claimed: ReadonlySet<string>; added: ReadonlyMap<string, AddedDelivery> }> {
    const values = [JSON.stringify(deliveries.map(rowOf)), consumer];
    const source = manager.queryRunner ?? manager.dataSource;
    const all = await queryPrepared<Row>(source, 'deliveries-add', ADD, values);
    const claimed = consumer === null ? deliveries.map(({ eventId }) => eventId) : (all[0]?.claimed ?? []);
    const rows = all.filter((row): row is Row & AddedRow => row.deliveryId !== null);
    const withEndpoint = rows.filter((row): row is Row & AddedRow & EndpointRow => row.id !== null);
    const endpoints = new Map(withEndpoint.map((row) => [row.endpointId, endpointOf(row)]));
    const added = rows.map(
      ({ deliveryId: id, deliveryStatus: status, createdAt, closedBy, endpointId }): [string, AddedDelivery] => [
        id,
        { status, createdAt, closedBy, endpoint: endpoints.get(endpointId) ?? null },
      ],
    );
    return { claimed: new Set(claimed), added: new Map(added) };
  }
}

/** Converts a delivery to the input of the statement. */
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
 * Adds sales to `sale_delivery`, and their deliveries. Sales are inserted in a fixed order, so concurrent transactions wait for each other
 * instead of deadlocking. If `sale_delivery` has a row without a delivery, the sale was closed before its `sale.completed` arrived. The
 * `created_at` of this row is then set to the time of the delivery, because the row must be kept as long as the delivery.
 */
const ADD = `
  with given as materialized (
    select * from json_to_recordset($1::json) as s (id uuid, partner_id text, environment text, oid text, ref_id text,
      event_id text, traceparent text, body text)),
  claimed as (${claimExpression('$2', '(select event_id::uuid as id from given where $2::text is not null) as received')}),
  sale as materialized (
    select distinct on (oid, environment) * from given
    where $2::text is null or event_id::uuid in (select event_id from claimed)
    order by oid, environment, id),
  registered as (
    insert into sale_delivery as r (oid, environment, delivery_id) select oid, environment, id from sale
    on conflict (oid, environment) do update set delivery_id = excluded.delivery_id, created_at = excluded.created_at
      where r.delivery_id is null
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
  select case when row_number() over () = 1 then array(select event_id::text from claimed) end as claimed,
    a.id as "deliveryId", a.status as "deliveryStatus", a.closed_by as "closedBy", a.endpoint_id as "endpointId",
    (extract(epoch from a.created_at) * 1000)::float8 as "createdAt", ${ENDPOINT_COLUMNS}
  from (select) one
  left join (select *, row_number() over (partition by endpoint_id) as place from added) a on true
  left join endpoint e on e.id = a.endpoint_id and a.place = 1`;
