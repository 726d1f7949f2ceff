import { Injectable, Logger } from '@nestjs/common';
import type { SaleClosed, SaleClosing, SaleCompleted } from '@tandem/contracts';
import { type EventBatch, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { DispatchService } from '../dispatch/dispatch.service';
import type { DueDelivery } from '../dispatch/dispatch-types';
import { ClosingRepository, type SaleDelivery } from './closing.repository';
import { type AddedDelivery, DeliveryRepository, type NewDelivery } from './delivery.repository';
import { deliveryIdOf, postbackBody } from './delivery.rules';

/** A delivery to add, with its event. */
interface PlannedDelivery extends NewDelivery {
  readonly event: ReceivedEvent<SaleCompleted>;
}

/**
 * Turns completed sales into deliveries. When sales are refunded or charged back, stops their pending and held deliveries, and notifies
 * partners that opted in.
 */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly closings: ClosingRepository,
    private readonly dispatch: DispatchService,
  ) {}

  /**
   * Adds one delivery for each sale that has none. Unless the events are already claimed, the same statement claims them. If the sale is already
   * closed, the delivery is failed. Otherwise, it is due now if the partner has an enabled configuration. If not, it is held until a replay sends it
   * or its sale is closed.
   */
  async createDeliveries(events: readonly ReceivedEvent<SaleCompleted>[], batch: EventBatch): Promise<void> {
    const readAt = performance.now();
    // If an event is in the batch twice, it gets one delivery.
    const planned = [...new Map(events.map(plan).map((delivery) => [delivery.id, delivery])).values()];
    const { claimed, added } = await this.deliveries.add(batch.manager, planned, batch.claimedBy);
    batch.claimed(claimed.size);
    for (const delivery of planned) {
      if (!claimed.has(delivery.eventId)) continue;
      const one = added.get(delivery.id);
      if (one?.status !== 'pending') runInEvent(delivery.event, () => this.logUnsent(delivery, one));
    }
    batch.afterCommit(() => {
      for (const delivery of planned) {
        const { status, endpoint, createdAt } = added.get(delivery.id) ?? {};
        if (status !== 'pending' || endpoint == null || createdAt === undefined) continue;
        this.dispatch.handOver(endpoint, dueOf(delivery, createdAt), readAt);
      }
    });
  }

  /**
   * Stops pending and held deliveries of sales that were refunded or charged back, in the transaction of the events. Also stores the
   * closing of a sale that has no delivery yet, because `sale.completed` may arrive later. For each sale whose postback the endpoint has
   * accepted or may have accepted, adds a closure notice if the partner has opted in. Unless the notice is held, a sweep finds it. Logs
   * each sale that gets no notice although its partner has opted in: its delivery was dropped, and its event is from a release that did not
   * add the data of the sale.
   */
  async closeSales(events: readonly ReceivedEvent<SaleClosed>[], batch: EventBatch): Promise<void> {
    const { stopped, notified, withoutNotice } = await this.closings.close(
      batch.manager,
      events.map(({ id, traceparent, data }) => ({ ...data, eventId: id, traceparent: traceparent ?? null })),
    );
    const eventOf = new Map(events.map((event) => [event.data.oid, event]));
    batch.afterCommit(() => {
      this.dispatch.stop(stopped.map(({ id }) => id));
      if (notified > 0) this.logger.log({ msg: 'closure notices added', count: notified });
      for (const delivery of stopped) {
        const event = eventOf.get(delivery.oid);
        if (event !== undefined) runInEvent(event, () => this.logStopped(delivery, delivery.closedBy));
      }
      for (const { oid, partnerId } of withoutNotice) {
        const line = { msg: 'closure notice not added', oid, partnerId, reason: 'event_without_sale_data' };
        const event = eventOf.get(oid);
        if (event !== undefined) runInEvent(event, () => this.logger.warn(line));
      }
    });
  }

  private logUnsent(delivery: PlannedDelivery, added: AddedDelivery | undefined): void {
    const { id: deliveryId, partnerId, oid } = delivery;
    if (added === undefined) this.logger.log({ msg: 'sale already has a delivery', oid });
    else if (added.closedBy !== null) this.logStopped(delivery, added.closedBy);
    else if (added.status === 'held') {
      const reason = added.endpoint?.disabledReason ?? 'not_configured';
      this.logger.log({ msg: 'delivery.held', deliveryId, partnerId, oid, reason });
    }
  }

  private logStopped({ id: deliveryId, partnerId, oid }: SaleDelivery, closedBy: SaleClosing): void {
    this.logger.log({ msg: 'delivery.stopped', deliveryId, partnerId, oid, reason: closedBy });
  }
}

function plan(event: ReceivedEvent<SaleCompleted>): PlannedDelivery {
  const { oid, partnerId, environment } = event.data;
  return {
    event,
    id: deliveryIdOf(event.id, event.data),
    partnerId,
    environment,
    oid,
    refId: event.data.sharedId || null,
    eventId: event.id,
    traceparent: event.traceparent ?? null,
    body: postbackBody(event.data),
  };
}

/** Converts a new delivery to the form that a worker needs. */
function dueOf(delivery: NewDelivery, createdAt: number): DueDelivery {
  const { id, partnerId, environment, oid, body, eventId, traceparent } = delivery;
  const unsent = { attemptCount: 0, attemptsBeforeReplay: 0, createdAt };
  return { id, partnerId, environment, oid, kind: 'sale', body, eventId, traceparent, ...unsent };
}
