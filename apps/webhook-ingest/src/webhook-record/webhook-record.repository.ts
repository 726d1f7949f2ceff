import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { InboundWebhook } from '../inbound-webhook/inbound-webhook.entity';
import type { ListPosition } from './list-cursor';
import type { ListWebhooks } from './webhook-record.dto';

export type WebhookFilter = Omit<ListWebhooks, 'cursor' | 'limit'> & { readonly since: string };

/** The columns that lists show. The body is not among them: it can have 256 KiB, and each page has up to 501 rows. */
const LISTED = [
  ...(['id', 'integration', 'type', 'receivedAt', 'occurredAt', 'subscriptionId', 'userId'] as const),
  ...(['webhookId', 'path', 'isIgnored', 'replayedAt'] as const),
] satisfies (keyof InboundWebhook)[];

/** A stored webhook without its body. */
export type ListedWebhook = Pick<InboundWebhook, (typeof LISTED)[number]>;

/** Reads stored webhooks. */
@Injectable()
export class WebhookRecordRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns a page of webhooks, newest first. */
  findPage(filter: WebhookFilter, after: ListPosition | null, limit: number): Promise<ListedWebhook[]> {
    const { integration, type, outcome, since, until, oid, user } = filter;
    const page = this.dataSource
      .createQueryBuilder(InboundWebhook, 'w')
      .select(LISTED.map((property) => `w.${property}`))
      .where('w.receivedAt >= :since', { since })
      .orderBy('w.receivedAt', 'DESC')
      .addOrderBy('w.id', 'DESC')
      .take(limit);
    if (until !== undefined) page.andWhere('w.receivedAt < :until', { until });
    if (integration !== undefined) page.andWhere('w.integration = :integration', { integration });
    if (type !== undefined) page.andWhere('w.type = :type', { type });
    if (outcome !== undefined) page.andWhere('w.isIgnored = :ignored', { ignored: outcome === 'ignored' });
    if (oid !== undefined) page.andWhere('w.subscriptionId = :oid', { oid });
    // The condition on the length must be the same as in the partial index, so that Postgres can use this index.
    if (user !== undefined) page.andWhere('w.userId = :user and length(w.userId) <= 255', { user });
    if (after !== null) page.andWhere('(w.receivedAt, w.id) < (:receivedAt, :id)', { ...after });
    return page.getMany();
  }

  find(id: string): Promise<InboundWebhook | null> {
    return this.dataSource.manager.findOneBy(InboundWebhook, { id });
  }

  /**
   * Locks webhooks until the transaction ends, so that two replays of the same webhook do not overlap. Rows are locked in the order of
   * their ids, to avoid deadlocks, and returned in the order of arrival.
   */
  async lock(manager: EntityManager, ids: readonly string[]): Promise<InboundWebhook[]> {
    const rows = await manager
      .createQueryBuilder(InboundWebhook, 'w')
      .setLock('pessimistic_write')
      .where('w.id = any (:ids)', { ids: [...new Set(ids)] })
      .orderBy('w.id')
      .getMany();
    return rows.sort((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime());
  }

  /** Records that a replay has published the events of webhooks. These webhooks no longer count as ignored. */
  async markReplayed(manager: EntityManager, ids: readonly string[]): Promise<void> {
    await manager.query('update inbound_webhook set is_ignored = false, replayed_at = now() where id = any ($1)', [
      ids,
    ]);
  }
}
