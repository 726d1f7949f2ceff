import { Injectable, Logger } from '@nestjs/common';
import { FieldCipher, FieldDecryptionError } from '@tandem/database';
import { type EventOfRow, Outbox } from '@tandem/messaging';
import { type Page, toPage, ValidationFailedError } from '@tandem/http-api';
import { ArrayWebhookReader } from '../array-webhook/array-webhook-reader';
import { WebhookIngestConfig } from '../config';
import type { InboundWebhook } from '../inbound-webhook/inbound-webhook.entity';
import { bodyBinding, eventsOfRow } from '../inbound-webhook/inbound-webhook.rules';
import type { IntegrationName, WebhookReader } from '../inbound-webhook/integration';
import { PaymentWebhookReader } from '../payment-webhook/payment-webhook-reader';
import { decodeCursor, encodeCursor } from './list-cursor';
import { maskedBody } from './masked-body';
import type {
  EventOfWebhook,
  ListWebhooks,
  ReplayedWebhook,
  ReplayWebhooks,
  ShowWebhook,
  WebhookContent,
  WebhookSummary,
} from './webhook-record.dto';
import { WebhookNotFoundError } from './webhook-record.errors';
import { type ListedWebhook, WebhookRecordRepository } from './webhook-record.repository';

const DEFAULT_PAGE = 50;
const DEFAULT_RANGE_MS = 7 * 86_400_000;

/** Shows stored webhooks to operators, and replays them. */
@Injectable()
export class WebhookRecordService {
  private readonly logger = new Logger('webhook');
  private readonly cipher: FieldCipher;
  private readonly readers: Readonly<Record<IntegrationName, WebhookReader>>;

  constructor(
    config: WebhookIngestConfig,
    private readonly webhooks: WebhookRecordRepository,
    private readonly outbox: Outbox,
    payments: PaymentWebhookReader,
    array: ArrayWebhookReader,
  ) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
    this.readers = { payments, array };
  }

  /** Lists webhooks, newest first; without `since`, only those of the last 7 days. @throws InvalidCursorError */
  async list({ cursor, limit = DEFAULT_PAGE, ...filter }: ListWebhooks): Promise<Page<WebhookSummary>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const since = filter.since ?? new Date(Date.now() - DEFAULT_RANGE_MS).toISOString();
    const rows = await this.webhooks.findPage({ ...filter, since }, after, limit + 1);
    return toPage(rows, limit, summaryOf, ({ receivedAt, id }) =>
      encodeCursor({ receivedAt: receivedAt.toISOString(), id }),
    );
  }

  /**
   * Returns a webhook with its body. If an operator and a reason are given, the body is unmasked, and the access is logged.
   * @throws WebhookNotFoundError when no webhook with this id is stored
   */
  async show({ id, operator, reason }: ShowWebhook): Promise<WebhookContent> {
    const row = await this.webhooks.find(id);
    if (row === null) throw new WebhookNotFoundError();
    const isWhole = operator !== undefined && reason !== undefined;
    if (isWhole) this.logger.log({ msg: 'webhook.revealed', webhook: id, operator, reason });
    const text = this.textOf(row);
    const body: unknown = text === null ? null : JSON.parse(text);
    return {
      ...summaryOf(row),
      events: (text === null ? [] : (this.eventsOf(row, text) ?? [])).map(eventView),
      body: isWhole ? body : maskedBody(row.integration, body),
    };
  }

  /**
   * Publishes the events of webhooks again. The events keep their ids, so a consumer that has already handled an event skips it. A webhook
   * whose type was unknown when it was received is published if its type is known now.
   */
  async replay({ ids, operator, reason }: ReplayWebhooks): Promise<ReplayedWebhook[]> {
    const replayed = await this.outbox.transaction(async (manager) => {
      const found: ReplayedWebhook[] = [];
      for (const row of await this.webhooks.lock(manager, ids)) {
        const { outcome, events } = this.replayOf(row);
        for (const { event, data, id } of events) await this.outbox.add(manager, event, data, { id });
        found.push({ id: row.id, outcome, events: events.map(eventView) });
      }
      const published = found.filter(({ outcome }) => outcome === 'published').map(({ id }) => id);
      if (published.length > 0) await this.webhooks.markReplayed(manager, published);
      return found;
    });
    for (const { id, outcome, events } of replayed) {
      const eventId = events[0]?.eventId;
      this.logger.log({ msg: 'webhook.replayed', webhook: id, outcome, eventId, operator, reason });
    }
    const known = new Set(replayed.map(({ id }) => id));
    const missing = [...new Set(ids)].filter((id) => !known.has(id));
    return [...replayed, ...missing.map((id): ReplayedWebhook => ({ id, outcome: 'not_found', events: [] }))];
  }

  private replayOf(row: InboundWebhook): Pick<ReplayedWebhook, 'outcome'> & { events: readonly EventOfRow[] } {
    const text = this.textOf(row);
    const events = text === null ? null : this.eventsOf(row, text);
    if (events === null) return { outcome: 'unreadable', events: [] };
    return { outcome: events.length > 0 ? 'published' : 'ignored', events };
  }

  /** Returns the decrypted body, or null if none of the current keys can decrypt it. */
  private textOf(row: InboundWebhook): string | null {
    try {
      return this.cipher.decrypt(row.bodyEncrypted, bodyBinding(row));
    } catch (error) {
      if (error instanceof FieldDecryptionError) return null;
      throw error;
    }
  }

  /** Returns the events of a webhook, or null if the current version refuses its body as invalid. */
  private eventsOf(row: InboundWebhook, text: string): EventOfRow[] | null {
    const { path, receivedAt } = row;
    try {
      const { events } = this.readers[row.integration].read({ path, receivedAt, rawBody: Buffer.from(text, 'utf8') });
      return eventsOfRow(row, events);
    } catch (error) {
      if (error instanceof ValidationFailedError) return null;
      throw error;
    }
  }
}

const eventView = ({ event, id }: EventOfRow): EventOfWebhook => ({ topic: event.topic, eventId: id as string });

const summaryOf = (row: ListedWebhook): WebhookSummary => ({
  id: row.id,
  integration: row.integration,
  type: row.type,
  receivedAt: row.receivedAt.toISOString(),
  occurredAt: row.occurredAt?.toISOString() ?? null,
  outcome: row.isIgnored ? 'ignored' : 'accepted',
  oid: row.subscriptionId,
  user: row.userId,
  webhookId: row.webhookId,
  path: row.path,
  replayedAt: row.replayedAt?.toISOString() ?? null,
});
