import { derivedEventId, type EventOfRow, eventOfRow, timedEventId } from '@tandem/messaging';
import type { InboundWebhook } from './inbound-webhook.entity';
import type { IntegrationName, MeantEvent, Statement } from './integration';

/** What a stored webhook claims, so that a later one with the same content does not count as new. All fields are UUIDs made from hashes. */
export interface Claim {
  /** Identifies the delivery: the same `webhook-id` with the same content. Null without a `webhook-id`. */
  readonly deliveryKey: string | null;
  readonly subjectKey: string;
  readonly content: string;
}

/** @param webhookId the header, which a sender keeps for all attempts of one webhook */
export function claimOf(
  integration: IntegrationName,
  { subject, content, isNewByWebhookId = false }: Statement,
  webhookId: string | null,
): Claim {
  const about = isNewByWebhookId && webhookId !== null ? JSON.stringify([subject, webhookId]) : subject;
  return {
    deliveryKey: webhookId === null ? null : derivedEventId('delivery', integration, webhookId, subject, content),
    subjectKey: derivedEventId('subject', integration, about),
    content: derivedEventId('content', content),
  };
}

/** The kinds of rows that bodies are bound to. The name for payments is older than the table. */
const BINDINGS: Readonly<Record<IntegrationName, string>> = { payments: 'payment_event', array: 'array_event' };

/** Returns what a stored body is bound to. If it is copied to another row, it does not decrypt. */
export const bodyBinding = ({ integration, id }: Pick<InboundWebhook, 'integration' | 'id'>): string =>
  `${BINDINGS[integration]}:${id}`;

/** Returns the id of an event of a webhook. It is always the same, so a consumer that has handled the event skips a replay. */
export const eventIdOf = ({ id, receivedAt }: Pick<InboundWebhook, 'id' | 'receivedAt'>, topic: string): string =>
  timedEventId(receivedAt, id, topic);

/** The events of a stored webhook. @param traceparent the trace that they belong to. Default: that of the current request */
export const eventsOfRow = (
  row: Pick<InboundWebhook, 'id' | 'receivedAt'>,
  events: readonly MeantEvent[],
  traceparent?: string,
): EventOfRow[] =>
  events.map(({ definition, data }) =>
    eventOfRow(row.id, definition, { data, id: eventIdOf(row, definition.topic), traceparent }),
  );
