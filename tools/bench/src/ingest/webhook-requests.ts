import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';

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

const BODIES: Readonly<Record<SignedWebhooks['integration'], (appKey: string) => object>> = {
  payments: purchase,
  array: alertPush,
};

/** One webhook that was never sent before. */
export function webhookRequest({ integration, secret, appKey }: SignedWebhooks): WebhookRequest {
  const body = JSON.stringify(BODIES[integration](appKey));
  const [id, timestamp] = [`msg_${randomUUID()}`, new Date()];
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': webhookTimestampHeader(timestamp),
      'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
    },
    body,
  };
}

/** It names its user: two events go with it. */
function purchase(): object {
  const id = randomUUID();
  return {
    id: `evt_${id}`,
    type: 'subscription.purchased',
    timestamp: new Date().toISOString(),
    data: {
      subscriptionId: `sub_${id}`,
      customer: { krn: `krn:tandem:bench:user:${id}`, email: `${id}@example.com` },
      plan: 'pro',
      entitlements: ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'],
      currency: 'USD',
      amount: '129.95',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '129.95', quantity: 1, category: 'Pro', tier: 'pro' }],
      attribution: { promotionCode: 'BENCH', data4: 'order-1' },
    },
  };
}

function alertPush(appKey: string): object {
  return {
    service: 'alerts',
    event: 'push',
    method: 'push',
    details: {
      appKey,
      clientKey: randomUUID(),
      bureau: 'EXP',
      alertType: 'CREDIT_MONITORING',
      alertSubType: 'NEW',
      alertId: 4711,
    },
  };
}
