import { Injectable } from '@nestjs/common';
import { type EventOfRow, Outbox } from '@tandem/messaging';
import { PaymentEvent } from './payment-webhook.entity';

const INSERT_ONCE = `
  insert into payment_event (id, type, received_at, occurred_at, subscription_id, body_encrypted, webhook_id, path)
  select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
  on conflict (id) do nothing
  returning id`;

/** Stored webhooks of the billing provider. */
@Injectable()
export class PaymentWebhookRepository {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Stores webhooks, unless one of their id is stored, and publishes the events of those that it stored, by one statement. Where
   * another transaction stores the same id, this waits for its commit; rows go in by the order of their ids, so that two
   * transactions never wait for each other.
   *
   * @param webhooks no two of one id
   * @param events each with the id of its webhook
   * @returns the ids that were stored now
   */
  insertOnce(
    webhooks: readonly PaymentEvent[],
    events: readonly EventOfRow[],
  ): Promise<ReadonlySet<string>> {
    const rows = [...webhooks].sort((one, other) => (one.id < other.id ? -1 : 1));
    const values = [
      rows.map(({ id }) => id),
      rows.map(({ type }) => type),
      rows.map(({ receivedAt }) => receivedAt.toISOString()),
      rows.map(({ occurredAt }) => occurredAt.toISOString()),
      rows.map(({ subscriptionId }) => subscriptionId),
      rows.map(({ bodyEncrypted }) => bodyEncrypted),
      rows.map(({ webhookId }) => webhookId),
      rows.map(({ path }) => path),
    ];
    return this.outbox.insertWithEvents({ name: 'payment-events-insert', text: INSERT_ONCE, values }, events);
  }
}
