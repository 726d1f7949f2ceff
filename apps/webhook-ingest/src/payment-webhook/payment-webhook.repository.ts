import { Injectable } from '@nestjs/common';
import { queryPrepared, runnerOf } from '@tandem/database';
import type { EntityManager } from 'typeorm';
import { PaymentEvent } from './payment-webhook.entity';

const INSERT_ONCE = `
  insert into payment_event (id, type, received_at, occurred_at, subscription_id, body_encrypted, webhook_id, path)
  select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
  on conflict (id) do nothing
  returning id`;

/** Stored webhooks of the billing provider. */
@Injectable()
export class PaymentWebhookRepository {
  /**
   * Stores webhooks, unless one of their id is stored, by one statement. Where another transaction stores the same id, this
   * waits for its commit; rows go in by the order of their ids, so that two transactions never wait for each other.
   *
   * @param events no two of one id
   * @returns the ids that were stored now
   */
  async insertOnce(manager: EntityManager, events: readonly PaymentEvent[]): Promise<ReadonlySet<string>> {
    const rows = [...events].sort((one, other) => (one.id < other.id ? -1 : 1));
    const inserted = await queryPrepared<{ id: string }>(runnerOf(manager), 'payment-events-insert', INSERT_ONCE, [
      rows.map(({ id }) => id),
      rows.map(({ type }) => type),
      rows.map(({ receivedAt }) => receivedAt.toISOString()),
      rows.map(({ occurredAt }) => occurredAt.toISOString()),
      rows.map(({ subscriptionId }) => subscriptionId),
      rows.map(({ bodyEncrypted }) => bodyEncrypted),
      rows.map(({ webhookId }) => webhookId),
      rows.map(({ path }) => path),
    ]);
    return new Set(inserted.map(({ id }) => id));
  }
}
