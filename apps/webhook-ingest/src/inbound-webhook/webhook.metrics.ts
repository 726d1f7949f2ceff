import { Counter } from 'prom-client';
import type { WebhookOutcome } from './inbound-webhook.store';
import type { IntegrationName } from './integration';

const received = new Counter({
  name: 'webhooks_received_total',
  help: 'Webhooks by what came of them',
  labelNames: ['integration', 'outcome'],
});

/** Counts a webhook that was stored or refused: what its line `webhook.received` says. */
export const countWebhook = (integration: IntegrationName, outcome: WebhookOutcome | 'invalid' | 'unauthorized'): void =>
  received.inc({ integration, outcome });
