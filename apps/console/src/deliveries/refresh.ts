import { LIVE_MS } from '../api/query';
import type { components } from '../generated/partner-api';

/** The refresh interval while a delivery is pending, in ms. */
const PENDING_MS = 2_000;

type Page = components['schemas']['PostbackDeliveryPageDto'];

/**
 * Returns a function that computes the refresh interval of a page: `PENDING_MS` while a postback is pending, otherwise `LIVE_MS`.
 *
 * @param isPending returns whether the page's data shows a pending postback
 */
export const refreshWhile =
  <T>(isPending: (data: T) => boolean) =>
  ({ state: { data } }: { state: { data?: T } }): number =>
    data !== undefined && isPending(data) ? PENDING_MS : LIVE_MS;

/** Returns the refresh interval of a list of deliveries. */
export const refreshOf = refreshWhile<Page>(({ items }) => items.some(({ status }) => status === 'pending'));
