import type { SaleCompleted } from '@tandem/contracts';
import { timedEventId } from '@tandem/messaging';
import { v7 } from 'uuid';

/** Returns the body of a sale's postback: exactly the fields that the partner interface specifies, in its order. */
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
 * Returns the id of a sale's delivery, which is also the `webhook-id` of its requests. The id is derived from the sale's event. If a
 * delivery is added again after a restore from a backup, it gets the same id, and the partner recognizes the repeat. The id starts with the
 * time of the sale.
 */
export const deliveryIdOf = (eventId: string, { soldAt }: Pick<SaleCompleted, 'soldAt'>): string =>
  timedEventId(new Date(soldAt), eventId, 'delivery');

/** Generates the `webhook-id` of a test send: a UUIDv7, which starts with the time, as the id of a sale's delivery does. */
export const newDeliveryId = (now: Date): string => v7({ msecs: now.getTime() });
