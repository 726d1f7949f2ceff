import { LIVE_MS } from '../api/query';
import type { components } from '../generated/partner-api';

/** The refresh interval while deliveries are pending. */
const WAITING_MS = 2_000;

type Page = components['schemas']['PostbackDeliveryPageDto'];

/** Returns the refresh interval of a list of deliveries. */
export const refreshOf = ({ state: { data } }: { state: { data?: Page } }): number =>
  data?.items.some(({ status }) => status === 'pending') ? WAITING_MS : LIVE_MS;
