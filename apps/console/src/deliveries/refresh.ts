import { LIVE_MS } from '../api/query';
import type { components } from '../generated/partner-api';

/** While something is on its way, its result is looked for more often. */
const WAITING_MS = 2_000;

type Page = components['schemas']['PostbackDeliveryPageDto'];

/** When a list of deliveries is loaded again. */
export const refreshOf = ({ state: { data } }: { state: { data?: Page } }): number =>
  data?.items.some(({ status }) => status === 'pending') ? WAITING_MS : LIVE_MS;
