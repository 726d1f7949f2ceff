import { defineApp, PLAIN_FORMAT } from '@tandem/service-defaults';
import { AppModule } from './app.module';
import { WebhookIngestConfig } from './config';
import { ERRORS } from './error-map';
import { keepRawBodies } from './webhook-authentication/raw-body';
import { requireIntegrations } from './webhook-authentication/webhook.authenticator';

export const app = defineApp({
  name: 'webhook-ingest',
  config: WebhookIngestConfig,
  module: (config) => AppModule.register(config),
  errors: ERRORS,
  errorFormat: PLAIN_FORMAT,
  bodyLimitBytes: 256 * 1024,
  openapi: {
    title: 'Webhook ingest',
    description: 'Takes the webhooks of trusted integrations, and answers only when they are stored for good.',
  },
  onFastify: (fastify) => {
    keepRawBodies(fastify);
    requireIntegrations(fastify);
  },
});
