import { defineApp } from '@tandem/service-defaults';
import { PLAIN_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { DiscoveryConfig } from './config';
import { ERRORS } from './error-map';
import { SCHEMA } from './migrations';
import { DISCOVERY_API } from './openapi/discovery-api-document';

export const app = defineApp({
  name: 'discovery',
  config: DiscoveryConfig,
  module: (config) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: PLAIN_FORMAT,
  openapi: DISCOVERY_API,
});
