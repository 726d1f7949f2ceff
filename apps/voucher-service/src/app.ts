import { defineApp } from '@tandem/service-defaults';
import { PROBLEM_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { VoucherServiceConfig } from './config';
import { ERRORS } from './error-map';
import { SCHEMA } from './migrations';

export const app = defineApp({
  name: 'voucher-service',
  config: VoucherServiceConfig,
  module: (config: VoucherServiceConfig) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: PROBLEM_FORMAT,
  openapi: {
    title: 'Voucher service (internal)',
    description: 'Voucher groups and coupons, for partner-gateway. Not reachable through the edge.',
  },
});
