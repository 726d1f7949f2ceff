import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { uniqueId } from '@tandem/testing';
import type { RunningApps } from './apps';

const SALE = {
  customer: { email: 'buyer@example.com' },
  ...{ plan: 'pro', entitlements: [], currency: 'USD', amount: '99.90', paymentStatus: 'captured', firstPayment: true },
  items: [{ price: '99.90', category: 'Pro' }],
};

/** Sends billing's report of a purchase, with overrides. @returns its subscription */
export async function purchase(apps: RunningApps, change: object): Promise<string> {
  const subscriptionId = uniqueId('sub');
  const data = { subscriptionId, ...SALE, ...change };
  const body = { id: uniqueId('evt'), type: 'subscription.purchased', timestamp: new Date().toISOString(), data };
  const headers = signatureOf(apps.secrets.payments, JSON.stringify(body));
  await apps.call('webhook-ingest', 'POST', '/idp/payments/webhook', { body, headers });
  return subscriptionId;
}

/** The headers that sign a webhook's body. */
export function signatureOf(secret: string, body: string): Record<string, string> {
  const [id, timestamp] = [`msg_${randomUUID()}`, new Date()];
  return {
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
  };
}
