import { derivedEventId, type EventOfRow, eventOfRow, timedEventId } from '@tandem/messaging';
import type { InboundWebhook } from './inbound-webhook.entity';
import type { IntegrationName, MeantEvent, Statement } from './integration';

/**
 * What a stored webhook claims, so that a later webhook with the same content does not count as new. All fields are UUIDs that are derived
 * from hashes.
 */
export interface Claim {
  /** Identifies the delivery by its `webhook-id` and content. Null without a `webhook-id`. */
  readonly deliveryKey: string | null;
  readonly subjectKey: string;
  readonly content: string;
}

/** @param webhookId the header `webhook-id`, which is the same for all attempts of a webhook */
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

/** The kinds of rows to which bodies are bound. The name for payments is older than the table of all webhooks. */
const BINDINGS: Readonly<Record<IntegrationName, string>> = { payments: 'payment_event', array: 'array_event' };

/** Returns the name of the row to which an encrypted body is bound. In another row, the body cannot be decrypted. */
export const bodyBinding = ({ integration, id }: Pick<InboundWebhook, 'integration' | 'id'>): string =>
  `${BINDINGS[integration]}:${id}`;

/** Returns the id of a webhook's event in a topic. The id is always the same, so a consumer that has handled the event skips a replay. */
export const eventIdOf = ({ id, receivedAt }: Pick<InboundWebhook, 'id' | 'receivedAt'>, topic: string): string =>
  timedEventId(receivedAt, id, topic);

/** Returns the events of a stored webhook. @param traceparent the trace to which the events belong; by default, that of the current request */
export const eventsOfRow = (
  row: Pick<InboundWebhook, 'id' | 'receivedAt'>,
  events: readonly MeantEvent[],
  traceparent?: string,
): EventOfRow[] =>
  events.map(({ definition, data }) =>
    eventOfRow(row.id, definition, { data, id: eventIdOf(row, definition.topic), traceparent }),
  );
