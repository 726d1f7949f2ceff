import { Counter } from 'prom-client';

const refused = new Counter({
  name: 'rate_limit_refused_total',
  help: 'Requests that were refused by a rate limit',
  labelNames: ['policy'],
});

/** Counts a request for which its policy had no room. */
export const countRefused = (policy: string): void => refused.inc({ policy });
