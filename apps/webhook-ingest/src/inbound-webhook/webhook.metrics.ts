import { Counter } from 'prom-client';
import type { IntegrationName } from './integration';

const INTEGRATIONS: readonly IntegrationName[] = ['payments', 'array'];
const OUTCOMES = ['accepted', 'duplicate', 'ignored', 'invalid', 'unauthorized'] as const;

const received = new Counter({
  name: 'webhooks_received_total',
  help: 'Webhooks by what came of them',
  labelNames: ['integration', 'outcome'],
});
// Counters are created with the value 0, because Prometheus cannot see an increase to the first value of a counter. Otherwise the first
// refused webhook would not count.
for (const integration of INTEGRATIONS) for (const outcome of OUTCOMES) received.inc({ integration, outcome }, 0);

/** Counts a webhook that was stored or refused, with the outcome of its log line `webhook.received`. */
export const countWebhook = (integration: IntegrationName, outcome: (typeof OUTCOMES)[number]): void =>
  received.inc({ integration, outcome });
