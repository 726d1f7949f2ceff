import { defineApp, PROBLEM_FORMAT } from '@tandem/service-defaults';
import { AppModule } from './app.module';
import { PartnerGatewayConfig } from './config';
import { errorMap } from './error-map';

export const app = defineApp({
  name: 'partner-gateway',
  config: PartnerGatewayConfig,
  module: (config) => AppModule.register(config),
  errors: errorMap,
  errorFormat: PROBLEM_FORMAT,
  bodyLimitBytes: 65_536,
  openapi: {
    title: 'Tandem partner API',
    description:
      'Checkout URLs, revocation of sales, postback configuration and vouchers for partners; accounts for their managers.',
  },
});
