import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** One OpenAPI document of an app. */
export interface OpenApiOptions {
  title: string;
  /** Markdown. */
  description: string;
  /** Where the page is served; the document is at `<path>/openapi.json`. Default `docs`. */
  path?: string;
  /** Has the last word: gets the document with all routes of the app and everything that their decorators say. */
  finish?: (document: OpenAPIObject) => OpenAPIObject;
}

/** The OpenAPI document of an app, as its decorators tell it. */
export function openApiDocument(
  nest: INestApplication,
  { title, description, finish = (document) => document }: OpenApiOptions,
): OpenAPIObject {
  const options = new DocumentBuilder().setTitle(title).setDescription(description).setVersion('2').addBearerAuth();
  return finish(SwaggerModule.createDocument(nest, options.build()));
}

/** The documents of an app that is looked at and not run: nothing connects to anything. */
export async function previewDocuments(
  module: DynamicModule,
  documents: readonly OpenApiOptions[],
): Promise<OpenAPIObject[]> {
  const nest = await NestFactory.create(module, new FastifyAdapter(), { preview: true, logger: false });
  return documents.map((options) => openApiDocument(nest, options));
}

/** Serves a page and a document for each; made at the first look, so that it costs a start nothing. */
export function serveOpenApi(nest: INestApplication, documents: OpenApiOptions | readonly OpenApiOptions[]): void {
  for (const options of [documents].flat()) {
    const { path = 'docs', title } = options;
    SwaggerModule.setup(path, nest, () => openApiDocument(nest, options), {
      jsonDocumentUrl: `${path}/openapi.json`,
      customSiteTitle: title,
    });
  }
}
