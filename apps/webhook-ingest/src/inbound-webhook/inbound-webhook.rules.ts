import { derivedEventId, type EventOfRow, eventOfRow, timedEventId } from '@tandem/messaging';
import type { InboundWebhook } from './inbound-webhook.entity';
import type { IntegrationName, MeantEvent, Statement } from './integration';

/**
 * What a webhook claims in the table `webhook_claim` when it is stored, so that a later webhook with the same claim is recognized as a
 * duplicate. All fields are UUIDs that are derived from hashes.
 */
export interface Claim {
  /** Identifies the delivery by integration, `webhook-id`, subject and content. Null if the request has no `webhook-id`. */
  readonly deliveryKey: string | null;
  readonly subjectKey: string;
  readonly content: string;
}

/** Returns the claim of a webhook. @param webhookId the header `webhook-id`, which is the same in all attempts to deliver a webhook */
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

/**
 * The prefixes of the names to which encrypted bodies are bound. The prefix for payments is the name that the table had when it stored only
 * payments.
 */
const BINDINGS: Readonly<Record<IntegrationName, string>> = { payments: 'payment_event', array: 'array_event' };

/** Returns the name to which the encrypted body of a row is bound. If the ciphertext is copied to another row, it cannot be decrypted. */
export const bodyBinding = ({ integration, id }: Pick<InboundWebhook, 'integration' | 'id'>): string =>
  `${BINDINGS[integration]}:${id}`;

/**
 * Returns the id of the event that a webhook causes in a topic. The id is always the same, so a consumer that has handled the event skips
 * it in a replay.
 */
export const eventIdOf = ({ id, receivedAt }: Pick<InboundWebhook, 'id' | 'receivedAt'>, topic: string): string =>
  timedEventId(receivedAt, id, topic);

/**
 * Returns the events of a stored webhook, in the form in which the outbox stores them.
 *
 * @param traceparent the trace to which the events belong; by default, the trace of the current request
 */
export const eventsOfRow = (
  row: Pick<InboundWebhook, 'id' | 'receivedAt'>,
  events: readonly MeantEvent[],
  traceparent?: string,
): EventOfRow[] =>
  events.map(({ definition, data }) =>
    eventOfRow(row.id, definition, { data, id: eventIdOf(row, definition.topic), traceparent }),
  );
