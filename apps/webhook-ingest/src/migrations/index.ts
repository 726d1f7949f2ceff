import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreatePaymentEvent1763700000000 } from './1763700000000-create-payment-event';
import { KeepWebhooksOfAllIntegrations1765300000000 } from './1765300000000-keep-webhooks-of-all-integrations';
import { IndexWebhooksByAge1767000101000 } from './1767000101000-index-webhooks-by-age';
import { IndexWebhooksBySubject1769400000000 } from './1769400000000-index-webhooks-by-subject';

/** The schema of this app and its migrations, for the migration step of a deployment. */
export const SCHEMA: SchemaDefinition = {
  schema: 'ingest',
  migrations: [
    ...MESSAGING_MIGRATIONS,
    CreatePaymentEvent1763700000000,
    KeepWebhooksOfAllIntegrations1765300000000,
    IndexWebhooksByAge1767000101000,
    IndexWebhooksBySubject1769400000000,
  ],
};
