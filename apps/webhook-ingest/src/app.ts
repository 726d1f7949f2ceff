import { defineApp } from '@tandem/service-defaults';
import { PLAIN_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { ARRAY_SCHEMAS } from './array-webhook/array-webhook-schemas';
import { WebhookIngestConfig } from './config';
import { ERRORS } from './error-map';
import { withSchemas } from './inbound-webhook/webhook-schemas';
import { SCHEMA } from './migrations';
import { PAYMENT_SCHEMAS } from './payment-webhook/payment-webhook-schemas';
import { keepRawBodies } from './webhook-authentication/raw-body';
import { requireIntegrations } from './webhook-authentication/webhook.authenticator';

export const app = defineApp({
  name: 'webhook-ingest',
  config: WebhookIngestConfig,
  module: (config) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: PLAIN_FORMAT,
  bodyLimitBytes: 256 * 1024,
  openapi: {
    title: 'Webhook ingest',
    description: 'Receives the webhooks of trusted integrations. Answers 200 only after a webhook is stored durably.',
    finish: (document) => withSchemas(document, { ...PAYMENT_SCHEMAS, ...ARRAY_SCHEMAS }),
  },
  onFastify: (fastify) => {
    keepRawBodies(fastify);
    requireIntegrations(fastify);
  },
});
