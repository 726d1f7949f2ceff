import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PaymentEvent } from './payment-webhook.entity';

/** Stored webhooks of the billing provider. */
@Injectable()
export class PaymentWebhookRepository {
  /**
   * Stores a webhook, unless one of its id is stored. Of two at once the second waits for the first one's commit.
   * @returns whether it was stored now
   */
  async insertOnce(manager: EntityManager, event: PaymentEvent): Promise<boolean> {
    const inserted = await manager.query<unknown[]>(
      `insert into payment_event
         (id, type, received_at, occurred_at, subscription_id, body_encrypted, webhook_id, path)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (id) do nothing
       returning 1`,
      [
        event.id,
        event.type,
        event.receivedAt,
        event.occurredAt,
        event.subscriptionId,
        event.bodyEncrypted,
        event.webhookId,
        event.path,
      ],
    );
    return inserted.length === 1;
  }
}
