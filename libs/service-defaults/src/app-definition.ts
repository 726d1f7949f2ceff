import type { DynamicModule } from '@nestjs/common';
import type { SchemaDefinition } from '@tandem/database';
import type { FastifyInstance } from 'fastify';
import type { BaseConfig } from './config/base-config';
import type { ConfigClass } from './config/load-config';
import type { ErrorFormat, ErrorMap, OpenApiOptions } from '@tandem/http-api';

/** Everything that is specific to one app; `bootstrap` does the rest. */
export interface AppDefinition<C extends BaseConfig = BaseConfig> {
  /** The app's name, which is also in the app's log lines. */
  name: string;
  config: ConfigClass<C>;
  module: (config: C) => DynamicModule;
  /** The schema that `node dist/main.js migrate` brings up to date; undefined for an app without a database. */
  schema?: SchemaDefinition;
  /** The app's own errors and their statuses. */
  errors: ErrorMap;
  errorFormat: ErrorFormat;
  /** Maximum size of a request body, bytes. Default 65,536. */
  bodyLimitBytes?: number;
  openapi: OpenApiOptions | readonly OpenApiOptions[];
  /** Settings that override the defaults when docs/openapi is generated, so that the documents contain optional routes. */
  documentedWith?: Partial<C>;
  /** Sets up what Nest does not offer, such as a content type parser. The function runs before routes are created. */
  onFastify?: (fastify: FastifyInstance, config: C) => void;
}

/** Returns its argument, with the config's type inferred. */
export const defineApp = <C extends BaseConfig>(definition: AppDefinition<C>): AppDefinition<C> => definition;
