import { defineApp } from '@tandem/service-defaults';
import { PROBLEM_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { PartnerGatewayConfig } from './config';
import { errorMap } from './error-map';
import { SCHEMA } from './migrations';
import { MANAGER_API, PARTNER_API } from './openapi/api-documents';

export const app = defineApp({
  name: 'partner-gateway',
  config: PartnerGatewayConfig,
  module: (config) => AppModule.register(config),
  schema: SCHEMA,
  errors: errorMap,
  errorFormat: PROBLEM_FORMAT,
  bodyLimitBytes: 65_536,
  openapi: [PARTNER_API, MANAGER_API],
});
