import { defineApp } from '@tandem/service-defaults';
import { AppModule } from './app.module';
import { BAD_REQUEST_FORMAT } from './bad-request/bad-request-format';
import { IdpApiConfig } from './config';
import { ERRORS } from './error-map';
import { SCHEMA } from './migrations';
import { CLIENT_API } from './openapi/client-api-document';

export const app = defineApp({
  name: 'idp-api',
  config: IdpApiConfig,
  module: (config) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: BAD_REQUEST_FORMAT,
  bodyLimitBytes: 65_536,
  openapi: CLIENT_API,
  documentedWith: { MOCK_ENABLED: true },
});
