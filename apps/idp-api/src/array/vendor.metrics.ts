import { Histogram, register } from 'prom-client';
import type { VendorRoute } from './vendor-routes';

/** The outcome of a call. `open` means that the call was not made, because the breaker of the route refused it. */
export type VendorOutcome = 'ok' | 'not_found' | 'error' | 'timeout' | 'open';

const NAME = 'vendor_request_duration_seconds';

/** Returns the histogram of the calls. Registers it only once in a process, because tests start several apps in one process. */
const durations = (): Histogram<'route' | 'outcome'> =>
  (register.getSingleMetric(NAME) as Histogram<'route' | 'outcome'> | undefined) ??
  new Histogram({
    name: NAME,
    help: 'Duration of calls to the identity vendor, until the answer is read',
    labelNames: ['route', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });

/** Records a call. */
export const observeCall = (route: VendorRoute, outcome: VendorOutcome, seconds: number): void =>
  durations().observe({ route, outcome }, seconds);
