import { texts } from '../texts/common';

const { pending, delivered, failed, held } = texts.deliveryStatus;

/** What a list of deliveries can be filtered by. */
export const STATUSES = { pending, delivered, failed, held } as const;
