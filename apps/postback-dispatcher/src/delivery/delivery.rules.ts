import type { SaleCompleted } from '@tandem/contracts';
import { randomFillSync } from 'node:crypto';

/** The body of a sale's postback: the fields of the partner interface, in its order, and no others. */
export function postbackBody(
  sale: Pick<SaleCompleted, 'oid' | 'sharedId' | 'emailMasked' | 'currency' | 'items'>,
): string {
  return JSON.stringify({
    oid: sale.oid,
    sharedId: sale.sharedId,
    emailMasked: sale.emailMasked,
    currency: sale.currency,
    items: sale.items.map(({ price, quantity, category, tier, sku }) => ({ price, quantity, category, tier, sku })),
  });
}

/** A UUIDv7 (RFC 9562): the time in front keeps rows of one time together in the index. */
export function newDeliveryId(now: Date): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
