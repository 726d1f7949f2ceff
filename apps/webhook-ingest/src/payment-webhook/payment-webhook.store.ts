import { Injectable } from '@nestjs/common';
import { ENROLLMENT_SYNC, PAYMENT_RECEIVED, type PaymentReceived } from '@tandem/contracts';
import { isDatabaseUnavailable, isTimeout, withoutContext } from '@tandem/database';
import { Batcher, BatcherFullError, currentTraceparent, type EventOfRow, eventOfRow } from '@tandem/messaging';
import { ServiceUnavailableError } from '@tandem/service-defaults';
import { enrollmentSyncOf } from './enrollment-sync.rules';
import type { PaymentEvent } from './payment-webhook.entity';
import { PaymentWebhookRepository } from './payment-webhook.repository';

/** `ignored`: stored, but of an unknown type. */
export type WebhookOutcome = 'accepted' | 'duplicate' | 'ignored';

/** A webhook as it is stored, and the event that goes with it; null for an unknown type. */
export interface NewWebhook {
  readonly row: PaymentEvent;
  readonly event: PaymentReceived | null;
}

interface WaitingWebhook extends NewWebhook {
  readonly traceparent?: string;
}

type Stored = { outcome: WebhookOutcome } | { error: unknown };

/** Two: while one group is being committed, the next one is written. */
const GROUPS_AT_ONCE = 2;
/** Bytes of the bodies in one group. */
const GROUP_BYTES = 2 * 1024 * 1024;
/** More than this waits only when the database hangs: the next one is told at once to come again. */
const MAX_WAITING = 1_000;

/**
 * Stores webhooks with their events. Those that wait at the same time share one statement and its commit. Each has its own outcome.
 */
@Injectable()
export class PaymentWebhookStore {
  private readonly batcher: Batcher<WaitingWebhook, Stored>;

  constructor(private readonly webhooks: PaymentWebhookRepository) {
    // A group belongs to no single request.
    const run = (items: readonly WaitingWebhook[]): Promise<Stored[]> => withoutContext(() => this.storeEach(items));
    const sizeOf = ({ row }: WaitingWebhook): number => row.bodyEncrypted.length;
    const limits = { concurrency: GROUPS_AT_ONCE, maxSize: GROUP_BYTES, sizeOf, maxWaiting: MAX_WAITING };
    this.batcher = new Batcher(limits, run);
  }

  /** When this returns, nothing can lose the webhook any more. @throws ServiceUnavailableError when too many wait already */
  async store(webhook: NewWebhook): Promise<WebhookOutcome> {
    const stored = await this.batcher.add({ ...webhook, traceparent: currentTraceparent() }).catch((error: unknown) => {
      if (!(error instanceof BatcherFullError)) throw error;
      throw new ServiceUnavailableError('Too many webhooks are waiting to be stored.', 5, { cause: error });
    });
    if ('error' in stored) throw stored.error;
    return stored.outcome;
  }

  /** One that the database refuses must not fail the others: then each is tried alone. An outage, or a time-out, fails them all. */
  private async storeEach(items: readonly WaitingWebhook[]): Promise<Stored[]> {
    try {
      return (await this.storeTogether(items)).map((outcome) => ({ outcome }));
    } catch (error) {
      if (items.length === 1 || isDatabaseUnavailable(error) || isTimeout(error)) throw error;
    }
    const stored: Stored[] = [];
    for (const item of items) {
      stored.push(
        await this.storeTogether([item]).then(
          ([outcome]) => ({ outcome: outcome as WebhookOutcome }),
          (error: unknown) => ({ error }),
        ),
      );
    }
    return stored;
  }

  private async storeTogether(items: readonly WaitingWebhook[]): Promise<WebhookOutcome[]> {
    /** The first of each id; the others are its duplicates. */
    const firsts = new Map([...items].reverse().map((item) => [item.row.id, item]));
    const inserted = await this.webhooks.insertOnce(
      [...firsts.values()].map(({ row }) => row),
      items.flatMap((item) => (firsts.get(item.row.id) === item ? eventsOf(item) : [])),
    );
    const isNew = (item: WaitingWebhook): boolean => inserted.has(item.row.id) && firsts.get(item.row.id) === item;
    return items.map((item) => (!isNew(item) ? 'duplicate' : item.event ? 'accepted' : 'ignored'));
  }
}

/** The payment, and beside it what it means for the enrollments of its user, if anything. */
function eventsOf({ row: { id }, event, traceparent }: WaitingWebhook): EventOfRow[] {
  if (!event) return [];
  const sync = enrollmentSyncOf(event);
  return [
    eventOfRow(id, PAYMENT_RECEIVED, { data: event, traceparent }),
    ...(sync ? [eventOfRow(id, ENROLLMENT_SYNC, { data: sync, traceparent })] : []),
  ];
}
