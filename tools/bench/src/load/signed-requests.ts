import { randomUUID } from 'node:crypto';
import { alertWebhook, newKrn, purchaseWebhook, signable, type SignedBody, signedHeaders } from '@tandem/stack-client';

/** Which webhooks are sent, and what signs them. */
export interface SignedWebhooks {
  readonly integration: 'payments' | 'array';
  readonly secret: string;
  /** The key of the platform at the identity vendor. */
  readonly appKey: string;
}

export interface WebhookRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** One webhook that was never sent before. */
export function webhookRequest({ integration, secret, appKey }: SignedWebhooks): WebhookRequest {
  const { id, body } =
    integration === 'payments' ? purchase() : alertWebhook({ appKey, clientKey: randomUUID(), alertId: 4711 });
  return { headers: { 'content-type': 'application/json', ...signedHeaders(secret, body, id) }, body };
}

/** It names its user: two events go with it. */
const purchase = (): SignedBody =>
  signable(
    purchaseWebhook({
      subscriptionId: `sub_${randomUUID()}`,
      krn: newKrn('bench'),
      plan: 'pro',
      attribution: { promotionCode: 'BENCH', data4: 'order-1' },
    }),
  );
