import { defineApp } from '@tandem/service-defaults';
import { PLAIN_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { IdpSupportConfig } from './config';
import { ERRORS } from './error-map';
import { SCHEMA } from './migrations';
import { SUPPORT_API } from './openapi/support-api-document';

export const app = defineApp({
  name: 'idp-support',
  config: IdpSupportConfig,
  module: (config) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: PLAIN_FORMAT,
  openapi: SUPPORT_API,
});
