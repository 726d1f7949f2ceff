import { randomUUID } from 'node:crypto';
import { SALE_COMPLETED, SaleCompleted } from '@tandem/contracts';
import type { Pool } from 'pg';

/** A completed sale as partner-gateway publishes it. */
export const saleOf = (partnerId: string): SaleCompleted => ({
  oid: `sub_${randomUUID()}`,
  partnerId,
  environment: 'live',
  promotionId: 'promotion-1',
  sharedId: 'ref-42',
  emailMasked: 'j***e@example.com',
  currency: 'USD',
  items: [{ price: '49.95', quantity: '2', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
  soldAt: new Date().toISOString(),
  qualifiedAt: new Date().toISOString(),
});

/** Puts a sale on the Postgres bus, in the form that the relay of partner-gateway gives it. */
export async function publishSale(client: Pool, sale: SaleCompleted, partition: number): Promise<void> {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_type: SALE_COMPLETED.topic,
    ce_source: '/tandem/partner-gateway',
    ce_time: new Date().toISOString(),
    ce_subject: sale.oid,
    'content-type': 'application/json',
  };
  await client.query({
    name: 'publish',
    text: 'select bus.append($1::text[], $2::integer[], $3::text[], $4::text[], $5::bytea[])',
    values: [
      [SALE_COMPLETED.topic],
      [partition],
      [sale.oid],
      [JSON.stringify(headers)],
      [Buffer.from(JSON.stringify(sale))],
    ],
  });
}

/** The postback body of a sale. */
export const bodyOf = ({ oid, sharedId, emailMasked, currency, items }: SaleCompleted): string =>
  JSON.stringify({ oid, sharedId, emailMasked, currency, items });
