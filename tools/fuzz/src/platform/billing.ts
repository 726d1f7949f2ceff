import { billingWebhook, purchaseData, signedHeaders } from '@tandem/stack-client';
import { randomUUID } from 'node:crypto';
import { type Apps, eventually } from './apps';

/** Returns a unique id that begins with the prefix. */
export const uniqueId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/**
 * Sends billing's webhook of a purchase. Like billing, sends it again after a failure, such as a 503 on a busy machine.
 * @param change fields that replace fields of the purchase
 * @returns the id of the subscription
 */
export async function purchase(apps: Apps, change: object): Promise<string> {
  const subscriptionId = uniqueId('sub');
  const data = { ...purchaseData({ subscriptionId, plan: 'pro' }), entitlements: [], ...change };
  const body = billingWebhook('purchased', data);
  const headers = signedHeaders(apps.secrets.payments, JSON.stringify(body));
  await eventually(() => apps.call('webhook-ingest', 'POST', '/idp/payments/webhook', { body, headers }));
  return subscriptionId;
}
