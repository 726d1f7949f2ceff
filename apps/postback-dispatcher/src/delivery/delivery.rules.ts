import type { SaleCompleted } from '@tandem/contracts';
import { v7 } from 'uuid';

/** Returns the body of a sale's postback: exactly the fields of the partner interface, in order. */
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

/** Generates a UUIDv7, which starts with the time and so keeps rows of similar age together in the index. */
export const newDeliveryId = (now: Date): string => v7({ msecs: now.getTime() });
