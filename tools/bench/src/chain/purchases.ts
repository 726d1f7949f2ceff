import { randomUUID } from 'node:crypto';
import { purchaseWebhook, signable, signedHeaders } from '@tandem/stack-client';

/** The two ways to buy through a partner: with its promotion code, or through its checkout URL. */
export interface Offer {
  readonly promotionCode: string;
  readonly checkoutToken: string;
}

/** A purchase, and the whole HTTP request of its webhook, as bytes. */
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
 * Prepares signed purchases before the measurement, so that sending them costs little. Consecutive purchases belong to
 * different partners. Half of the purchases use the promotion code, and the other half use the checkout URL. Each
 * purchase has its own buyer.
 */
export function preparePurchases({ webhookUrl, secret, offers, count }: Preparation): PreparedPurchase[] {
  const { host, pathname } = new URL(webhookUrl);
  return Array.from({ length: count }, (_, index) => {
    const oid = `bench_${randomUUID()}`;
    const { id, body } = signable(purchaseWebhook({ subscriptionId: oid, attribution: attributionOf(offers, index) }));
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(signedHeaders(secret, body, id)).map(([name, value]) => `${name}: ${value}`),
    ];
    return { oid, request: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`) };
  });
}

function attributionOf(offers: readonly Offer[], index: number): object {
  const { promotionCode, checkoutToken } = offers[index % offers.length] as Offer;
  return Math.floor(index / offers.length) % 2 === 0 ? { promotionCode } : { checkoutToken, data4: `order-${index}` };
}
