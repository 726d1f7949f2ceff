import { LIVE_MS } from '../api/query';
import type { components } from '../generated/partner-api';

/** The refresh interval while deliveries are pending. */
const WAITING_MS = 2_000;

type Page = components['schemas']['PostbackDeliveryPageDto'];

/** Returns the refresh interval of a page of which `isPending` says whether it waits for a postback. */
export const refreshWhile =
  <T>(isPending: (data: T) => boolean) =>
  ({ state: { data } }: { state: { data?: T } }): number =>
    data !== undefined && isPending(data) ? WAITING_MS : LIVE_MS;

/** Returns the refresh interval of a list of deliveries. */
export const refreshOf = refreshWhile<Page>(({ items }) => items.some(({ status }) => status === 'pending'));
