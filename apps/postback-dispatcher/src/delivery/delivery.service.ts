import { Injectable, Logger } from '@nestjs/common';
import type { SaleCompleted } from '@tandem/contracts';
import type { EventBatch, ReceivedEvent } from '@tandem/messaging';
import { PostbackDispatcherConfig } from '../config';
import { DispatchService } from '../dispatch/dispatch.service';
import { DeliveryRepository } from './delivery.repository';
import { newDeliveryId, postbackBody } from './delivery.rules';

/** Turns completed sales into deliveries. */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('delivery');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly dispatch: DispatchService,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * Adds the sale's one delivery, in the transaction of its event. A sale of a partner without an enabled configuration is
   * kept as held: nothing is lost, and a replay sends it.
   */
  async createDelivery({ id: eventId, data: sale }: ReceivedEvent<SaleCompleted>, batch: EventBatch): Promise<void> {
    const { manager } = batch;
    const id = newDeliveryId(new Date());
    const registered = await this.deliveries.registerSale(manager, id, sale);
    if (registered === null) return this.logger.log({ msg: 'the sale has its delivery already', oid: sale.oid });
    const { endpoint } = registered;
    const delivery = { id, sale, eventId, body: postbackBody(sale), endpointId: endpoint?.id ?? null };
    if (endpoint === null || endpoint.status === 'disabled') {
      await this.deliveries.addHeld(manager, delivery);
      const reason = endpoint?.disabledReason ?? 'not_configured';
      return this.logger.log({ msg: 'delivery.held', deliveryId: id, partnerId: sale.partnerId, reason });
    }
    const askedAt = performance.now();
    const lease = this.dispatch.takesLeases
      ? { replicaId: this.dispatch.replicaId, leaseMs: this.config.POSTBACK_LEASE_MS }
      : null;
    const added = await this.deliveries.addPending(manager, delivery, lease);
    const { partnerId, environment, oid } = sale;
    const fresh = { attemptCount: 0, attemptsBeforeReplay: 0, createdAt: added.createdAt };
    const due = { id, partnerId, environment, oid, body: delivery.body, ...fresh };
    batch.afterCommit(() => this.dispatch.added(endpoint, due, { ...added, askedAt }));
  }
}
