import { Injectable } from '@nestjs/common';
import { Batcher, BatcherFullError } from '@tandem/batching';
import { isDatabaseUnavailable, isTimeout } from '@tandem/database';
import { type EventOfRow } from '@tandem/messaging';
import { ServiceUnavailableError } from '@tandem/http-api';
import { InboundWebhookRepository, type WebhookRow } from './inbound-webhook.repository';
import { roundsOf } from './rounds';

/** How a webhook was handled. `ignored` means that the webhook was stored, but nothing was published, because its type is unknown. */
export type WebhookOutcome = 'accepted' | 'duplicate' | 'ignored';

/** A webhook to store, together with its events. If its type is unknown, it has no events. */
export interface NewWebhook extends WebhookRow {
  readonly events: readonly EventOfRow[];
}

type Stored = { readonly outcome: WebhookOutcome } | { readonly error: unknown };

/** The number of groups that are stored at the same time. With two, the next group is written while the previous one is being committed. */
const GROUPS_AT_ONCE = 2;
/** The maximum total size of the encrypted bodies in one group. */
const GROUP_BYTES = 2 * 1024 * 1024;
/**
 * The maximum number of webhooks that wait until their group can be stored. Normally, it is reached only when the database does not
 * respond. Further webhooks are then refused immediately, and the sender retries.
 */
const MAX_WAITING = 1_000;

/**
 * Stores webhooks with their events. Webhooks that are pending at the same time form a group, which is nearly always stored by one
 * statement and one commit. Each webhook still has its own outcome.
 */
@Injectable()
export class InboundWebhookStore {
  private readonly batcher: Batcher<NewWebhook, Stored>;

  constructor(private readonly webhooks: InboundWebhookRepository) {
    const sizeOf = ({ row }: NewWebhook): number => row.bodyEncrypted.length;
    const limits = { concurrency: GROUPS_AT_ONCE, maxSize: GROUP_BYTES, sizeOf, maxWaiting: MAX_WAITING };
    this.batcher = new Batcher(limits, (group) => this.storeGroup(group));
  }

  /**
   * Stores a webhook, unless it is a duplicate. Once the promise has resolved, the webhook is committed.
   *
   * @throws ServiceUnavailableError when MAX_WAITING webhooks are already waiting; also errors of the database
   */
  async store(webhook: NewWebhook): Promise<WebhookOutcome> {
    const stored = await this.batcher.add(webhook).catch((error: unknown) => {
      if (!(error instanceof BatcherFullError)) throw error;
      throw new ServiceUnavailableError('Too many webhooks are waiting to be stored.', 5, { cause: error });
    });
    if ('error' in stored) throw stored.error;
    return stored.outcome;
  }

  /**
   * Stores a group. One round is nearly always enough. Further rounds are needed only if the group has several webhooks about one subject
   * that report different content or are different deliveries.
   */
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
   * Stores the webhooks of a round together. If the database refuses the statement, stores each webhook separately, so that one bad webhook
   * does not make the others fail. After an outage or a timeout there is no second attempt, and all of them fail.
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

/**
 * Returns the outcome of a webhook that is a duplicate of another webhook in its group. If the original could not be stored, the duplicate
 * fails with the same error.
 */
const asDuplicate = (original: Stored | undefined): Stored =>
  original && 'error' in original ? original : { outcome: 'duplicate' };
