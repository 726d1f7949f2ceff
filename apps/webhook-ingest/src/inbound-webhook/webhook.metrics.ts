import { Counter } from 'prom-client';
import { INTEGRATIONS, type IntegrationName } from './integration';

const OUTCOMES = ['accepted', 'duplicate', 'ignored', 'invalid', 'unauthorized'] as const;

const received = new Counter({
  name: 'webhooks_received_total',
  help: 'Webhooks by integration and outcome',
  labelNames: ['integration', 'outcome'],
});
// All counters are created with the value 0. Prometheus sees no increase when a counter first appears, so it would otherwise miss the first
// refused webhook.
for (const integration of INTEGRATIONS) for (const outcome of OUTCOMES) received.inc({ integration, outcome }, 0);

/** Counts a webhook by its outcome, which is the same as in its log line `webhook.received`. */
export const countWebhook = (integration: IntegrationName, outcome: (typeof OUTCOMES)[number]): void =>
  received.inc({ integration, outcome });
