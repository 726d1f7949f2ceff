import { Injectable, Logger } from '@nestjs/common';
import type { SaleClosed, SaleClosing, SaleCompleted } from '@tandem/contracts';
import { type EventBatch, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { DispatchService } from '../dispatch/dispatch.service';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { ClosingRepository, type SaleDelivery } from './closing.repository';
import { DeliveryRepository, type NewDelivery } from './delivery.repository';
import { newDeliveryId, postbackBody } from './delivery.rules';

/** A delivery to add, with where it came from and where it goes. */
interface PlannedDelivery extends NewDelivery {
  readonly event: ReceivedEvent<SaleCompleted>;
  readonly endpoint: Endpoint | null;
}

/** Turns completed sales into deliveries, and stops those of sales that were paid back. */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly closings: ClosingRepository,
    private readonly dispatch: DispatchService,
  ) {}

  /**
   * Adds the one delivery of each sale, in the transaction of their events. A sale of a partner without an enabled configuration is
   * kept as held: nothing is lost, and a replay sends it.
   */
  async createDeliveries(events: readonly ReceivedEvent<SaleCompleted>[], batch: EventBatch): Promise<void> {
    const readAt = performance.now();
    const find = await this.deliveries.findEndpoints(
      batch.manager,
      events.map(({ data }) => data),
    );
    const planned = events.map((event) => plan(event, find(event.data)));
    const added = await this.deliveries.add(batch.manager, planned);
    for (const delivery of planned) {
      const closedBy = added.get(delivery.id)?.closedBy;
      if (closedBy === undefined) runInEvent(delivery.event, () => this.logSkipped(delivery));
      else if (closedBy !== null) runInEvent(delivery.event, () => this.logStopped(delivery, closedBy));
      else if (delivery.status === 'held') runInEvent(delivery.event, () => this.logHeld(delivery));
    }
    batch.afterCommit(() => {
      for (const delivery of planned) {
        const { createdAt, closedBy } = added.get(delivery.id) ?? {};
        const isDue = delivery.status === 'pending' && closedBy === null;
        if (isDue && createdAt !== undefined) this.handOver(delivery, createdAt, readAt);
      }
    });
  }

  /**
   * Stops what was not sent yet of sales that were paid back, in the transaction of their events, and remembers the others: their
   * delivery may be added later.
   */
  async closeSales(events: readonly ReceivedEvent<SaleClosed>[], batch: EventBatch): Promise<void> {
    const stopped = await this.closings.close(
      batch.manager,
      events.map(({ data }) => data),
    );
    const eventOf = new Map(events.map((event) => [event.data.oid, event]));
    batch.afterCommit(() => {
      for (const delivery of stopped) {
        const event = eventOf.get(delivery.oid);
        if (event !== undefined) runInEvent(event, () => this.logStopped(delivery, delivery.closedBy));
      }
    });
  }

  private handOver(delivery: PlannedDelivery, createdAt: number, readAt: number): void {
    const { id, partnerId, environment, oid, body, eventId, traceparent } = delivery;
    const unsent = { attemptCount: 0, attemptsBeforeReplay: 0, createdAt };
    const due = { id, partnerId, environment, oid, body, eventId, traceparent, ...unsent };
    this.dispatch.handOver(delivery.endpoint as Endpoint, due, readAt);
  }

  private logSkipped({ oid }: PlannedDelivery): void {
    this.logger.log({ msg: 'the sale has its delivery already', oid });
  }

  private logStopped({ id: deliveryId, partnerId, oid }: SaleDelivery, closedBy: SaleClosing): void {
    this.logger.log({ msg: 'delivery.stopped', deliveryId, partnerId, oid, reason: closedBy });
  }

  private logHeld({ id: deliveryId, partnerId, oid, endpoint }: PlannedDelivery): void {
    const reason = endpoint?.disabledReason ?? 'not_configured';
    this.logger.log({ msg: 'delivery.held', deliveryId, partnerId, oid, reason });
  }
}

function plan(event: ReceivedEvent<SaleCompleted>, endpoint: Endpoint | null): PlannedDelivery {
  const { oid, partnerId, environment } = event.data;
  return {
    event,
    endpoint,
    id: newDeliveryId(new Date()),
    partnerId,
    environment,
    oid,
    refId: event.data.sharedId || null,
    endpointId: endpoint?.id ?? null,
    eventId: event.id,
    traceparent: event.traceparent ?? null,
    body: postbackBody(event.data),
    status: endpoint?.status === 'active' ? 'pending' : 'held',
  };
}
