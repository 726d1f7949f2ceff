import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * Sends a purchase as billing does, signed.
 *
 * @param {string} url  of the webhook
 * @param {string} secret
 * @param {object} data  of `subscription.purchased`
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, text: string }>}
 */
export async function sendPayment(url, secret, data, headers = {}) {
  const { signWebhook } = createRequire(import.meta.url)('@tandem/auth');
  const id = `evt_${randomUUID()}`;
  const timestamp = new Date();
  const body = JSON.stringify({ id, type: 'subscription.purchased', timestamp: timestamp.toISOString(), data });
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
      'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
      ...headers,
    },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}
