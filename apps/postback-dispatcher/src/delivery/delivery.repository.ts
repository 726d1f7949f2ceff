import { Injectable } from '@nestjs/common';
import type { SaleCompleted } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import { ENDPOINT_LOCK_CLASS } from '../dispatch/lease.repository';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from '../endpoint/endpoint.row';
import type { Endpoint } from '../endpoint/endpoint.entity';

/** A delivery to add. */
export interface NewDelivery {
  readonly id: string;
  readonly sale: SaleCompleted;
  readonly eventId: string;
  readonly body: string;
  readonly endpointId: string | null;
}

/** Who is to send to the endpoint of a delivery that was just added. */
export interface AddedDelivery {
  /** Unix ms. */
  readonly createdAt: number;
  /** The owner of a live lease; null when the endpoint waits for somebody to claim it. */
  readonly leaseOwner: string | null;
  readonly leaseEpoch: string;
  /** How far the endpoint's breaker has opened. */
  readonly breakerLevel: number;
}

/** Writes deliveries in the transaction of their event. */
@Injectable()
export class DeliveryRepository {
  /**
   * Notes that the sale has its delivery, and finds the endpoint.
   *
   * The shared lock on the endpoint, held until this transaction ends, keeps the endpoint from being declared idle by a
   * worker that cannot see the delivery yet.
   * @returns null when the sale had its delivery before
   */
  async registerSale(
    manager: EntityManager,
    deliveryId: string,
    sale: SaleCompleted,
  ): Promise<{ endpoint: Endpoint | null } | null> {
    const [row] = await queryPrepared<Partial<EndpointRow> & { registered: boolean }>(
      runnerOf(manager),
      'sale-register',
      REGISTER_SALE,
      [sale.oid, sale.environment, deliveryId, sale.partnerId],
    );
    if (row?.registered !== true) return null;
    return { endpoint: row.id == null ? null : endpointOf(row as EndpointRow) };
  }

  /**
   * Adds a delivery that is due now, and sees to it that somebody sends it. With `replicaId`, an endpoint that nobody owns is
   * taken for that replica in the same statement, so that the delivery can be handed over in memory after the commit.
   * The endpoint's row is written only when it is not due already: on a busy endpoint, events do not wait for each other.
   */
  async addPending(
    manager: EntityManager,
    delivery: NewDelivery,
    lease: { replicaId: string; leaseMs: number } | null,
  ): Promise<AddedDelivery> {
    const [row] = await queryPrepared<AddedRow>(runnerOf(manager), 'delivery-add', ADD_PENDING, [
      delivery.id,
      delivery.sale.partnerId,
      delivery.sale.environment,
      delivery.endpointId,
      delivery.sale.oid,
      delivery.eventId,
      delivery.body,
      lease?.replicaId ?? null,
      lease?.leaseMs ?? 0,
    ]);
    if (row === undefined) throw new Error('the endpoint has no schedule');
    return {
      createdAt: row.created_at.getTime(),
      leaseOwner: row.live ? row.lease_owner : null,
      leaseEpoch: row.lease_epoch,
      breakerLevel: row.breaker_level,
    };
  }

  /** Keeps a delivery that nobody can be sent now; a replay sends it. */
  async addHeld(manager: EntityManager, delivery: NewDelivery): Promise<void> {
    await manager.query(
      `insert into delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status)
       values ($1, $2, $3, $4, $5, $6, $7, 'held')`,
      [
        delivery.id,
        delivery.sale.partnerId,
        delivery.sale.environment,
        delivery.endpointId,
        delivery.sale.oid,
        delivery.eventId,
        delivery.body,
      ],
    );
  }
}

interface AddedRow {
  created_at: Date;
  lease_owner: string | null;
  lease_epoch: string;
  breaker_level: number;
  live: boolean;
}

const REGISTER_SALE = `
  with registered as (
    insert into sale_delivery (oid, environment, delivery_id) values ($1, $2, $3)
    on conflict (oid, environment) do nothing returning oid)
  select exists (select from registered) as registered, ${ENDPOINT_COLUMNS},
    case when e.id is not null then pg_advisory_xact_lock_shared(${ENDPOINT_LOCK_CLASS}, hashtext(e.id::text)) end
  from (select 1) one left join endpoint e on e.partner_id = $4 and e.environment = $2`;

/** Whether nobody owns the endpoint, and it may be sent to. */
const FREE = `($8::uuid is not null and (s.lease_until is null or s.lease_until < clock_timestamp())
  and (s.blocked_until is null or s.blocked_until <= clock_timestamp()))`;

const ADD_PENDING = `
  with added as (
    insert into delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
    values ($1, $2, $3, $4, $5, $6, $7, 'pending', clock_timestamp())
    returning created_at),
  scheduled as (
    update endpoint_schedule s set
      next_due_at = least(s.next_due_at, greatest(clock_timestamp(), s.blocked_until)),
      lease_owner = case when ${FREE} then $8::uuid else s.lease_owner end,
      lease_epoch = case when ${FREE} then s.lease_epoch + 1 else s.lease_epoch end,
      lease_until = case when ${FREE} then clock_timestamp() + $9 * interval '1 millisecond' else s.lease_until end
    where s.endpoint_id = $4
      and (s.next_due_at is null or s.next_due_at > greatest(clock_timestamp(), s.blocked_until) or ${FREE})
    returning s.lease_owner, s.lease_epoch, s.lease_until, s.breaker_level)
  select a.created_at, l.lease_owner, l.lease_epoch::text as lease_epoch, l.breaker_level,
    coalesce(l.lease_until > clock_timestamp(), false) as live
  from added a, (
    select * from scheduled
    union all
    select s.lease_owner, s.lease_epoch, s.lease_until, s.breaker_level from endpoint_schedule s
    where s.endpoint_id = $4 and not exists (select from scheduled)) l`;
