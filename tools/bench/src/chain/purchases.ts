import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';

/** How a sale of one partner comes about: by its promotion code, or by a checkout URL. */
export interface Offer {
  readonly promotionCode: string;
  readonly checkoutToken: string;
}

/** The whole HTTP request of one purchase's webhook, as bytes. */
export interface PreparedPurchase {
  readonly oid: string;
  readonly request: Buffer;
}

export interface Preparation {
  readonly webhookUrl: string;
  readonly secret: string;
  readonly offers: readonly Offer[];
  readonly count: number;
}

/**
 * Signed purchases, made before the measurement so that sending them costs little: by turns of each partner, half of them by
 * its promotion code and half by its checkout URL, each with a buyer of its own.
 */
export function preparePurchases({ webhookUrl, secret, offers, count }: Preparation): PreparedPurchase[] {
  const { host, pathname } = new URL(webhookUrl);
  return Array.from({ length: count }, (_, index) => {
    const oid = `bench_${randomUUID()}`;
    const id = `evt_${oid}`;
    const timestamp = new Date();
    const body = bodyOf(id, oid, timestamp, attributionOf(offers, index));
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `webhook-id: ${id}`,
      `webhook-timestamp: ${webhookTimestampHeader(timestamp)}`,
      `webhook-signature: ${signWebhook({ secrets: [secret], id, timestamp, body })}`,
    ];
    return { oid, request: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`) };
  });
}

function attributionOf(offers: readonly Offer[], index: number): object {
  const { promotionCode, checkoutToken } = offers[index % offers.length] as Offer;
  return Math.floor(index / offers.length) % 2 === 0 ? { promotionCode } : { checkoutToken, data4: `order-${index}` };
}

const bodyOf = (id: string, oid: string, timestamp: Date, attribution: object): string =>
  JSON.stringify({
    id,
    type: 'subscription.purchased',
    timestamp: timestamp.toISOString(),
    data: {
      subscriptionId: oid,
      customer: { email: `${oid}@example.com` },
      plan: 'advanced',
      entitlements: ['idp.identity'],
      currency: 'USD',
      amount: '99.90',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '99.90', quantity: 1, category: 'Advanced', tier: 'advanced' }],
      attribution,
    },
  });
