import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts } from '../texts/deliveries';

const { pending, failing, delivered, failed, held } = texts.deliveryStatus;

/** The statuses by which deliveries can be filtered. */
export const STATUSES = { pending, failing, delivered, failed, held } as const;

type Delivery = components['schemas']['PostbackDeliveryDto'];

/** Returns the API's filters for a status of `STATUSES`; no filter for an empty status. A failing delivery has the API's status `pending`. */
export const filtersOf = (status: string): { status?: Delivery['status']; failing?: 'true' } =>
  status === 'failing' ? { failing: 'true' } : { ...(status && { status: status as Delivery['status'] }) };

/** Whether a postback was stopped because its sale was refunded or charged back. The API refuses to send such a postback again. */
export const isOfClosedSale = ({ kind, status, error }: Pick<Delivery, 'kind' | 'status' | 'error'>): boolean =>
  kind === 'sale' && status === 'failed' && error !== null && error in deliveryTexts.stopReasons;

type OfSale = components['schemas']['PostbackOfSale'];

/** Returns the status that the console shows for a delivery: `failing` if it is pending and its last attempt failed. */
export const statusOf = ({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>) =>
  status === 'pending' && attempts.at(-1)?.error ? 'failing' : status;

/**
 * Returns the status that the console shows for the postback of a sale: `failing` if it is pending and probably waits for a retry. The API
 * returns the number of attempts, but not their results. If the next attempt is in the future, the last attempt has probably failed. If the next
 * attempt is due now, the postback may already have been delivered, and may be pending only because of a replay. It is therefore not shown as
 * failing.
 */
export const statusOfPostback = ({ status, attempts, nextAttemptAt }: OfSale) =>
  status === 'pending' && attempts && nextAttemptAt && Date.parse(nextAttemptAt) > Date.now() ? 'failing' : status;
