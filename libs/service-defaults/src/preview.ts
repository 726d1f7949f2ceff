import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument, type OpenApiOptions } from '@tandem/http-api';
import type { AppDefinition } from './app-definition';
import type { BaseConfig } from './config/base-config';
import { variablesOf } from './config/load-config';

/**
 * Returns the OpenAPI documents of an app. The app is built but not started, so it opens no connection.
 *
 * @returns the documents by path, relative to the repository's root
 */
export async function documentsOf<C extends BaseConfig>(app: AppDefinition<C>): Promise<Map<string, OpenAPIObject>> {
  const nest = await previewOf(app);
  const documents = [app.openapi].flat() as readonly OpenApiOptions[];
  return new Map(
    documents.map((options) => [`docs/openapi/${options.file ?? app.name}.json`, openApiDocument(nest, options, app)]),
  );
}

/** Returns an app that is built but not started: its modules are known, but none of their providers is created. */
export function previewOf<C extends BaseConfig>(app: AppDefinition<C>): Promise<INestApplication> {
  const config = Object.assign(previewConfig(app.config), app.documentedWith);
  return NestFactory.create(app.module(config), new FastifyAdapter(), { preview: true, logger: false });
}

/** Placeholder settings: a setting without a default is an empty text, except the address of a database. */
function previewConfig<C extends BaseConfig>(Config: new () => C): C {
  const config = new Config();
  for (const name of variablesOf(Config)) {
    (config as Record<string, unknown>)[name] ??= name.endsWith('DATABASE_URL') ? 'postgres://127.0.0.1/tandem' : '';
  }
  return config;
}
