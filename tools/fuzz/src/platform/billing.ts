import { billingWebhook, purchaseData, signedHeaders } from '@tandem/stack-client';
import { randomUUID } from 'node:crypto';
import type { Apps } from './apps';

/** Returns a unique name. */
export const uniqueId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** Sends a webhook of billing that reports a purchase, with overrides. @returns the id of its subscription */
export async function purchase(apps: Apps, change: object): Promise<string> {
  const subscriptionId = uniqueId('sub');
  const data = { ...purchaseData({ subscriptionId, plan: 'pro' }), entitlements: [], ...change };
  const body = billingWebhook('purchased', data);
  const headers = signedHeaders(apps.secrets.payments, JSON.stringify(body));
  await apps.call('webhook-ingest', 'POST', '/idp/payments/webhook', { body, headers });
  return subscriptionId;
}
