import { texts } from '../texts/common';

const { pending, delivered, failed, held } = texts.deliveryStatus;

/** The statuses by which deliveries can be filtered. */
export const STATUSES = { pending, delivered, failed, held } as const;
