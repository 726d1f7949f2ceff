import type { SaleCompleted } from '@tandem/contracts';
import { timedEventId } from '@tandem/messaging';
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

/**
 * Returns the id of a sale's delivery, which its postbacks carry as `webhook-id`. It is derived from the sale's event, so that the partner can
 * detect a postback that is sent again after a restore from a backup. Like other ids, it starts with a time.
 */
export const deliveryIdOf = (eventId: string, { soldAt }: Pick<SaleCompleted, 'soldAt'>): string =>
  timedEventId(new Date(soldAt), eventId, 'delivery');

/** Generates a UUIDv7, which starts with the time and so keeps rows of similar age together in the index. */
export const newDeliveryId = (now: Date): string => v7({ msecs: now.getTime() });
