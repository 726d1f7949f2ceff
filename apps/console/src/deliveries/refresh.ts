import { LIVE_MS } from '../api/query';
import type { components } from '../generated/partner-api';

/** The refresh interval while deliveries are pending. */
const WAITING_MS = 2_000;

type Page = components['schemas']['PostbackDeliveryPageDto'];

/**
 * Returns a function that gives the refresh interval of a page: short while a postback is pending.
 *
 * @param isPending returns whether the page's data shows a pending postback
 */
export const refreshWhile =
  <T>(isPending: (data: T) => boolean) =>
  ({ state: { data } }: { state: { data?: T } }): number =>
    data !== undefined && isPending(data) ? WAITING_MS : LIVE_MS;

/** Gives the refresh interval of a list of deliveries. */
export const refreshOf = refreshWhile<Page>(({ items }) => items.some(({ status }) => status === 'pending'));
