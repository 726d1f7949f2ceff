import { Counter } from 'prom-client';

const refused = new Counter({
  name: 'rate_limit_refused_total',
  help: 'Requests that were refused by a rate limit',
  labelNames: ['policy'],
});

/** Counts requests that their policy refused; a count of 0 makes the policy visible before its first refusal. */
export const countRefused = (policy: string, count = 1): void => refused.inc({ policy }, count);
