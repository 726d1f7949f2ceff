import { Injectable } from '@nestjs/common';
import type {
  Caller,
  ListPostbackDeliveries,
  PostbackDeliveryPage,
  PostbackDeliveryView,
  SalePostbacks,
} from '@tandem/internal-api';
import { pageLimit, toPage } from '@tandem/http-api';
import { shownResponse } from '../attempt/attempt.rules';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { DeliveryCursors, logList } from './delivery-cursor';
import { errorOf } from './delivery-log.rules';
import { DeliveryLogRepository, type DeliveryState, type LoggedDelivery } from './delivery-log.repository';

/** Shows partners the state of their deliveries. */
@Injectable()
export class DeliveryLogService {
  constructor(
    private readonly log: DeliveryLogRepository,
    private readonly cursors: DeliveryCursors,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * Returns one page of a partner's deliveries in one environment, newest first. Deliveries older than the retention are left out.
   * @throws ValidationFailedError when the limit is too large
   * @throws InvalidCursorError
   */
  async listDeliveries(caller: Caller, query: ListPostbackDeliveries): Promise<PostbackDeliveryPage> {
    const { POSTBACK_PAGE_DEFAULT_LIMIT, POSTBACK_PAGE_MAX_LIMIT } = this.config;
    const limit = pageLimit(query.limit, { default: POSTBACK_PAGE_DEFAULT_LIMIT, max: POSTBACK_PAGE_MAX_LIMIT });
    const filter = {
      status: query.status ?? null,
      failing: query.failing === 'true',
      oid: query.oid ?? null,
      refId: query.refId ?? null,
    };
    const list = logList({ ...caller, ...filter });
    const after = query.cursor === undefined ? null : this.cursors.decode(list, query.cursor);
    const since = retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS);
    const rows = await this.log.findPage({ caller, ...filter, after, limit: limit + 1, since });
    return toPage(rows, limit, viewOf, (last) => this.cursors.encode(list, last));
  }

  /** Returns the postbacks of these sales. Sales that have no postback within the retention are left out. */
  async findOfSales(caller: Caller, oids: readonly string[]): Promise<SalePostbacks> {
    const since = retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS);
    const found = await this.log.findOfSales(caller, oids, since);
    return { items: found.map(({ attemptCount: attempts, ...row }) => ({ ...stateOf(row), attempts })) };
  }
}

const stateOf = (delivery: DeliveryState) => ({
  id: delivery.id,
  oid: delivery.oid,
  status: delivery.status,
  deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  error: errorOf(delivery),
});

const viewOf = (delivery: LoggedDelivery): PostbackDeliveryView => ({
  ...stateOf(delivery),
  kind: delivery.kind,
  refId: delivery.refId,
  createdAt: delivery.createdAt.toISOString(),
  attempts: delivery.attempts.map(({ number, at, httpStatus, latencyMs, error, response }) => ({
    number,
    at: at.toISOString(),
    status: httpStatus,
    latencyMs,
    error,
    response: response === null ? null : shownResponse(response),
  })),
});
