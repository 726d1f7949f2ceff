import { Counter } from 'prom-client';

const refused = new Counter({
  name: 'rate_limit_refused_total',
  help: 'Requests that were refused by a rate limit',
  labelNames: ['policy'],
});

/** Counts requests for which their policy had no room; 0 shows the policy before the first one. */
export const countRefused = (policy: string, count = 1): void => refused.inc({ policy }, count);
