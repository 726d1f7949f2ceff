import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import { SALE_COMPLETED, SaleCompleted } from '@tandem/contracts';
import type { Pool } from 'pg';

/** Returns a completed sale as partner-gateway publishes it. */
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

/** Wakes the consumers of the Postgres bus, as a relay does. */
const hints = createSocket('udp4').unref();

interface Appended {
  readonly topic: string;
  readonly partition: number;
  readonly next_offset: string;
  readonly wake_port: number | null;
}

/**
 * Publishes a sale on the Postgres bus, and wakes the consumers. The event has the form in which the relay of
 * partner-gateway publishes a sale, but without the header `ce_sequence` (the version of the sale).
 */
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
  const { rows } = await client.query<Appended>({
    name: 'publish',
    text: 'select * from bus.publish($1::text[], $2::integer[], $3::text[], $4::text[], $5::bytea[], $6)',
    values: [
      [SALE_COMPLETED.topic],
      [partition],
      [sale.oid],
      [JSON.stringify(headers)],
      [Buffer.from(JSON.stringify(sale))],
      hostname(),
    ],
  });
  for (const { topic, partition: at, next_offset: end, wake_port: port } of rows) {
    if (port !== null) hints.send(`${topic}/${at}/${end}`, port, '127.0.0.1');
  }
}

/** Returns the postback body of a sale. */
export const bodyOf = ({ oid, sharedId, emailMasked, currency, items }: SaleCompleted): string =>
  JSON.stringify({ oid, sharedId, emailMasked, currency, items });
