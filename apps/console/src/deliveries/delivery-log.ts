import type { components } from '../generated/partner-api';

/** The minimum time for which the API keeps a delivery, in ms. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Returns whether a sale qualified so long ago that its delivery may have been deleted. If so, a missing delivery does not mean that no postback was
 * sent.
 */
export const isBeforeDeliveryLog = ({
  qualifiedAt,
}: Pick<components['schemas']['PartnerSale'], 'qualifiedAt'>): boolean =>
  qualifiedAt !== null && Date.parse(qualifiedAt) < Date.now() - KEPT_MS;
