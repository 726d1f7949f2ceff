import type { SaleCompleted } from '@tandem/contracts';
import { v7 } from 'uuid';

/** The body of a sale's postback: exactly the fields of the partner interface, in order. */
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

/** A UUIDv7: the leading time keeps rows of one time together in the index. */
export const newDeliveryId = (now: Date): string => v7({ msecs: now.getTime() });
