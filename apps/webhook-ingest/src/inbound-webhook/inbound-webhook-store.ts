import { Injectable } from '@nestjs/common';
import { Batcher, BatcherFullError } from '@tandem/batching';
import { isDatabaseUnavailable, isTimeout } from '@tandem/database';
import { type EventOfRow } from '@tandem/messaging';
import { ServiceUnavailableError } from '@tandem/http-api';
import { InboundWebhookRepository, type WebhookRow } from './inbound-webhook.repository';
import { roundsOf } from './rounds';

/** `ignored`: stored, but of an unknown type. */
export type WebhookOutcome = 'accepted' | 'duplicate' | 'ignored';

/** A webhook as it is stored, and its events: none for an unknown type. */
export interface NewWebhook extends WebhookRow {
  readonly events: readonly EventOfRow[];
}

type Stored = { readonly outcome: WebhookOutcome } | { readonly error: unknown };

/** Two, so that the next group is written while the previous one is being committed. */
const GROUPS_AT_ONCE = 2;
/** How many bytes the bodies in one group may have. */
const GROUP_BYTES = 2 * 1024 * 1024;
/** More webhooks than this are pending only when the database hangs. Further ones are refused immediately, and the sender retries. */
const MAX_WAITING = 1_000;

/**
 * Stores webhooks with their events. Webhooks that are pending at the same time share one statement and its commit. Each has its own
 * outcome.
 */
@Injectable()
export class InboundWebhookStore {
  private readonly batcher: Batcher<NewWebhook, Stored>;

  constructor(private readonly webhooks: InboundWebhookRepository) {
    const sizeOf = ({ row }: NewWebhook): number => row.bodyEncrypted.length;
    const limits = { concurrency: GROUPS_AT_ONCE, maxSize: GROUP_BYTES, sizeOf, maxWaiting: MAX_WAITING };
    this.batcher = new Batcher(limits, (group) => this.storeGroup(group));
  }

  /** When this returns, the webhook is stored durably. @throws ServiceUnavailableError when too many are already pending */
  async store(webhook: NewWebhook): Promise<WebhookOutcome> {
    const stored = await this.batcher.add(webhook).catch((error: unknown) => {
      if (!(error instanceof BatcherFullError)) throw error;
      throw new ServiceUnavailableError('Too many webhooks are waiting to be stored.', 5, { cause: error });
    });
    if ('error' in stored) throw stored.error;
    return stored.outcome;
  }

  /** Nearly always needs one round. It needs more when a group has several webhooks with different content about one subject. */
  private async storeGroup(group: readonly NewWebhook[]): Promise<Stored[]> {
    const { rounds, originals } = roundsOf(group);
    const stored = new Map<NewWebhook, Stored>();
    for (const round of rounds) {
      const outcomes = await this.storeEach(round);
      round.forEach((webhook, index) => stored.set(webhook, outcomes[index] as Stored));
    }
    return group.map((webhook) => stored.get(webhook) ?? asDuplicate(stored.get(originals.get(webhook) as NewWebhook)));
  }

  /**
   * A webhook that the database refuses must not make the others fail, so then each is stored separately. An outage or a time-out makes all
   * of them fail.
   */
  private async storeEach(webhooks: readonly NewWebhook[]): Promise<Stored[]> {
    try {
      return await this.storeTogether(webhooks);
    } catch (error) {
      if (webhooks.length === 1 || isDatabaseUnavailable(error) || isTimeout(error)) {
        return webhooks.map(() => ({ error }));
      }
    }
    const stored: Stored[] = [];
    for (const webhook of webhooks) stored.push(...(await this.storeEach([webhook])));
    return stored;
  }

  private async storeTogether(webhooks: readonly NewWebhook[]): Promise<Stored[]> {
    const inserted = await this.webhooks.insertOnce(
      webhooks,
      webhooks.flatMap(({ events }) => events),
    );
    return webhooks.map(({ row }) => {
      if (!inserted.has(row.id)) return { outcome: 'duplicate' };
      return { outcome: row.isIgnored ? 'ignored' : 'accepted' };
    });
  }
}

/** A duplicate is only as safe as its original: it fails when the original does. */
const asDuplicate = (original: Stored | undefined): Stored =>
  original && 'error' in original ? original : { outcome: 'duplicate' };
