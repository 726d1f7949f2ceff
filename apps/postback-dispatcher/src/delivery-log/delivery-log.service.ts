import { Injectable } from '@nestjs/common';
import type { Caller, ListPostbackDeliveries, PostbackDeliveryPage, PostbackDeliveryView } from '@tandem/internal-api';
import { ValidationFailedError } from '@tandem/service-defaults';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { DeliveryCursors } from './delivery-cursor';
import { DeliveryLogRepository, LoggedDelivery } from './delivery-log.repository';

/** Shows partners what became of their postbacks. */
@Injectable()
export class DeliveryLogService {
  constructor(
    private readonly log: DeliveryLogRepository,
    private readonly cursors: DeliveryCursors,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * One page of a partner's deliveries in one environment, newest first, as far back as they are kept.
   * @throws ValidationFailedError, InvalidCursorError
   */
  async listDeliveries(caller: Caller, query: ListPostbackDeliveries): Promise<PostbackDeliveryPage> {
    const limit = this.limitOf(query.limit);
    const list = { ...caller, status: query.status ?? null };
    const after = query.cursor === undefined ? null : this.cursors.decode(list, query.cursor);
    const since = retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS);
    // One more than is shown tells whether another page exists.
    const rows = await this.log.findPage({ caller, status: list.status, after, limit: limit + 1, since });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = rows.length > limit;
    return {
      items: shown.map(viewOf),
      nextCursor: hasMore && last ? this.cursors.encode(list, last) : null,
      hasMore,
    };
  }

  private limitOf(limit: number | undefined): number {
    const max = this.config.POSTBACK_PAGE_MAX_LIMIT;
    if (limit !== undefined && limit > max) {
      throw new ValidationFailedError([{ field: 'limit', message: `limit must not be greater than ${max}` }]);
    }
    return limit ?? this.config.POSTBACK_PAGE_DEFAULT_LIMIT;
  }
}

const viewOf = (delivery: LoggedDelivery): PostbackDeliveryView => ({
  id: delivery.id,
  oid: delivery.oid,
  status: delivery.status,
  createdAt: delivery.createdAt.toISOString(),
  deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  attempts: delivery.attempts.map(({ number, at, httpStatus, latencyMs, error, response }) => ({
    number,
    at: at.toISOString(),
    status: httpStatus,
    latencyMs,
    error,
    response,
  })),
});
