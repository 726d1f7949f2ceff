import type { DynamicModule } from '@nestjs/common';
import type { SchemaDefinition } from '@tandem/database';
import type { FastifyInstance } from 'fastify';
import type { BaseConfig } from './config/base-config';
import type { ConfigClass } from './config/load-config';
import type { ErrorFormat, ErrorMap, OpenApiOptions } from '@tandem/http-api';

/** Everything that makes one app what it is; `bootstrap` does the rest. */
export interface AppDefinition<C extends BaseConfig = BaseConfig> {
  /** Also its consumer group, and its name in logs. */
  name: string;
  config: ConfigClass<C>;
  module: (config: C) => DynamicModule;
  /** What `node dist/main.js migrate` brings up to date; left out by an app without a database. */
  schema?: SchemaDefinition;
  /** The app's own errors and their statuses. */
  errors: ErrorMap;
  errorFormat: ErrorFormat;
  /** Largest request body, bytes. Default 65,536. */
  bodyLimitBytes?: number;
  openapi: OpenApiOptions | readonly OpenApiOptions[];
  /** Settings for writing the checked-in documents, in addition to the defaults: they turn on routes that a setting can turn off. */
  documentedWith?: Partial<C>;
  /** For set-up that Nest does not offer, such as a content type parser; runs before routes are made. */
  onFastify?: (fastify: FastifyInstance, config: C) => void;
}

/** Gives the compiler the config's type; returns its argument. */
export const defineApp = <C extends BaseConfig>(definition: AppDefinition<C>): AppDefinition<C> => definition;
