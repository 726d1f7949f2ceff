import { randomUUID } from 'node:crypto';
import { alertWebhook, newKrn, purchaseWebhook, signable, type SignedBody, signedHeaders } from '@tandem/stack-client';

/** The kind of webhooks to send, and the secret that signs them. */
export interface SignedWebhooks {
  readonly integration: 'payments' | 'array';
  readonly secret: string;
  /** The platform's key for the identity vendor. */
  readonly appKey: string;
}

export interface WebhookRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Returns a webhook with a new id and new content. */
export function webhookRequest({ integration, secret, appKey }: SignedWebhooks): WebhookRequest {
  const { id, body } =
    integration === 'payments' ? purchase() : alertWebhook({ appKey, clientKey: randomUUID(), alertId: 4711 });
  return { headers: { 'content-type': 'application/json', ...signedHeaders(secret, body, id) }, body };
}

/** Returns a purchase that names its user. It causes two events: `payment.received` and `enrollment.sync`. */
const purchase = (): SignedBody =>
  signable(
    purchaseWebhook({
      subscriptionId: `sub_${randomUUID()}`,
      krn: newKrn('bench'),
      plan: 'pro',
      attribution: { promotionCode: 'BENCH', data4: 'order-1' },
    }),
  );
