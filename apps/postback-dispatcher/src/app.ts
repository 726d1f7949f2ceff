import { defineApp } from '@tandem/service-defaults';
import { PROBLEM_FORMAT } from '@tandem/http-api';
import { AppModule } from './app.module';
import { PostbackDispatcherConfig } from './config';
import { ERRORS } from './error-map';
import { SCHEMA } from './migrations';

export const app = defineApp({
  name: 'postback-dispatcher',
  config: PostbackDispatcherConfig,
  module: (config: PostbackDispatcherConfig) => AppModule.register(config),
  schema: SCHEMA,
  errors: ERRORS,
  errorFormat: PROBLEM_FORMAT,
  openapi: {
    title: 'Postback dispatcher (internal)',
    description: 'Postback configurations, for partner-gateway. Not reachable through the edge.',
  },
});
